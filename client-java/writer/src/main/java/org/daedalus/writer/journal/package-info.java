/**
 * Files of records that survive the process and a loss of power: written once, in order, group by group; read again at
 * start (docs/journal.md). Refuses to know what a record says.
 */
package org.daedalus.writer.journal;
