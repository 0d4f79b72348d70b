"""The cost sheet says what one query costs each part of the system, in CPU time."""
