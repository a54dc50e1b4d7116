"""One file a scenario: `SMOKE` and `DEEP` are its sizes, `run` does it and fills in the figures."""
