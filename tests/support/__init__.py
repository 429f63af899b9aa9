"""What tests share: layouts from a few lines, generated pages, oracles, a browser, files to read, reports read back."""
