"""Files to take away: the folder or zip of a report.

`report_files` says what a report contains, `html_page` and `workbook` write its two large files. May import drawing and
everything below it.
"""
