"""Real clients of PostgreSQL at a running cluster (docs/postgres.md)."""
