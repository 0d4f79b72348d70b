package org.daedalus.client;

import org.daedalus.wire.ColumnType;

/** One column of an answer. */
public record ResultColumn(String name, ColumnType type) {}
