package org.daedalus.cli.sql;

/**
 * One statement of a text.
 *
 * @param text without the semicolon
 * @param line of the text that its first word is in, counted from 1
 */
record Statement(String text, int line) {}
