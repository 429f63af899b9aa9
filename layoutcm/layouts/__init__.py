"""What a layout is: pages, labels and regions, the rules they must meet, and the files people write by hand."""
