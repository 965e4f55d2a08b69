"""Tables: trial rows collected, later compared."""
