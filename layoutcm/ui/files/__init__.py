"""The files of a visitor: what they are, their roles, layouts and images, session files, results of parts."""
