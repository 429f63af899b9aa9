"""What a layout is: pages, labels and regions, and the rules that they must meet.

`model` has the values, `validation` turns the columns of a reader into a `Layout`. Beside them: shapes, page names,
page maps, documents, repairs, writers (`writing/` has a module for each family of formats), and the small files that
people write by hand. May import outputs, errors and wording.
"""
