"""The command line: `main` has exit codes, `arguments` the options, `commands` and the modules of single commands what
each command does, `reading` what several of them share.

May import report and everything below it; of ui only `launch` and `server`, to start the dashboard.
"""
