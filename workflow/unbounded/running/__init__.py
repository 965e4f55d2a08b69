"""What never changes a result: processes, files, locks, provenance."""
