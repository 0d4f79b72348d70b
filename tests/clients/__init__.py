"""Programs of clients that others wrote, each beside its steps over a plain PostgreSQL 15."""
