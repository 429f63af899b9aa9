"""Files to take away: the folder or zip of a report.

`report_files` says what a report contains, `leaderboard_files` the additional files for several predictions;
`html_page` and `workbook` write the large files. May import drawing and everything below it.
"""
