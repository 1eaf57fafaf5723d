"""Which models there are, what they can do and which runtime id serves them."""
