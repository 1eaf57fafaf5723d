"""Google sign-in: client identity and access tokens that are always fresh."""
