"""Daedalus' schema compiler: PostgreSQL DDL → checked schema → generated C++ → shared library.

`python -m daedalus_schema FILE.sql --output DIR` is the only door; `__main__` says what it writes.
"""
