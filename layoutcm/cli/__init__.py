"""The command line: `main` has arguments and exit codes, `commands`, `mapping_command` and `verify_command` what each
command does, `reading` what several of them share.

May import report and everything below it; of ui only `server`, to start the dashboard.
"""
