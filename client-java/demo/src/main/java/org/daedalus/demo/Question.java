package org.daedalus.demo;

/**
 * Something an operations desk wants to know.
 *
 * @param title in the desk's words
 * @param sql the statement; whatever it limits is totally ordered, so that its answer is one
 */
record Question(String title, String sql) {}
