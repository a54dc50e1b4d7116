"""What all scenarios share: the runner under test, clients, an oracle, waiting with a deadline."""
