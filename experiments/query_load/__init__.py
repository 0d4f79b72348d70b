"""Latency percentiles over the offered load of queries."""
