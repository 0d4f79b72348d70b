package org.daedalus.client;

/** A statement ends in one of these: the rows of a query, or what an update did. */
public sealed interface Outcome permits ResultSet, WriteOutcome {}
