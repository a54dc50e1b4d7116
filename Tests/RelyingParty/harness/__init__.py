"""A hostile identity server, a browser without eyes, and the runner between them."""
