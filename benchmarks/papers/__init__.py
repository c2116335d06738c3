"""The papers' tables, made again: one short script a table, one command for all (`python -m benchmarks.papers`)."""
