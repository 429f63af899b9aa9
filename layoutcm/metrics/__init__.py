"""Numbers from pair counts and regions."""
