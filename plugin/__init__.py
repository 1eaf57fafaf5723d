"""What makes this repository a plugin of other programs; it imports nothing of the proxy."""
