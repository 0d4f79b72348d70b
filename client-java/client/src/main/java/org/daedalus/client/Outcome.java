package org.daedalus.client;

/** What a statement ended in: rows of a query, or what an update did. */
public sealed interface Outcome permits ResultSet, WriteOutcome {}
