"""Files to take away: the folder or zip of a report.

`report_files` says what a report contains, `leaderboard_files` what that of several predictions has beside it;
`html_page` and `workbook` write the large files. May import drawing and everything below it.
"""
