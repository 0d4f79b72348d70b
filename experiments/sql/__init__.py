"""SQL over one table: expressions in sweeps, beside DuckDB on one thread and PostgreSQL's answers."""
