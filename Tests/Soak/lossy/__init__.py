"""A file system that forgets what was not confirmed."""
