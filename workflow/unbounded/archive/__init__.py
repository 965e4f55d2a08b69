"""A campaign's results as one file, and checked."""
