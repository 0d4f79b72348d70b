package org.daedalus.client.testing;

import java.util.List;

/**
 * One request of a client.
 *
 * @param sql the statement's text; empty for a batch of rows
 * @param parameters the statement's, in their order; null is NULL, an array is its text
 * @param rows the batch's, each with a value for every column of the table; none of a statement
 */
public record Asked(String sql, List<Object> parameters, List<List<Object>> rows) {}
