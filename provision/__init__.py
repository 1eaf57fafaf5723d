"""The configuration files of harnesses: text in, text out, and one module that writes files."""
