"""Attacks on a running cluster (README.md)."""
