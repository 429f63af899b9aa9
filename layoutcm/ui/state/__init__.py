"""What a visitor has loaded and chosen: choices, address, cards, the session, and the pages that are shown."""
