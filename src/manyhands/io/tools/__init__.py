"""The exports of labelling tools, read and written: one file a tool, one line each in `registry`."""
