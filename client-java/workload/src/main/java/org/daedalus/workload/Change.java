package org.daedalus.workload;

import java.time.LocalDateTime;

/**
 * One change of the tickets.
 *
 * @param kind what happened
 * @param at when, on the clock of the schedule
 * @param flight index in the schedule of the departure it is about; -1 when it is about more than one
 * @param statement what the database is told
 */
public record Change(ChangeKind kind, LocalDateTime at, int flight, SqlStatement statement) {}
