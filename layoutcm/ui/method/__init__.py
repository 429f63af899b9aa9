"""Method: what every number means, and a recount of the loaded pages."""
