"""Benchmarks: equality with the peer, accuracy on real crowds, speed, memory. Run with `python -m benchmarks.NAME`."""
