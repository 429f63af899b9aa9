"""The command line: `main` has arguments and exit codes, `commands` what each command does.

May import report and everything below it; of ui only `server`, to start the dashboard.
"""
