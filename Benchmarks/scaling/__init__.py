"""The curves of Benchmarks/scale, a module for each subject."""
