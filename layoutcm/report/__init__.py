"""Files to take away: the folder or zip of a report.

`report_files` says what a report contains, `html_page` and `workbook` write its two large files, `folder_swap` replaces
an earlier report only when the new one is complete. May import drawing and everything below it.
"""
