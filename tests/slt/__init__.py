"""Statements and their answers as data, asked of a cluster and of PostgreSQL 15 alike (README.md)."""
