"""Tables: trial rows collected, compared, and put beside the paper's statements (docs/tables.md)."""
