"""The pool of Google accounts: values, file format, the one writer of the file, and who serves next."""
