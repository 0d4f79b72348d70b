"""Clients of PostgreSQL at a cluster's port for them, beside PostgreSQL itself."""
