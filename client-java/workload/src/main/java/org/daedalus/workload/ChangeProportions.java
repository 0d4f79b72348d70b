package org.daedalus.workload;

import java.util.EnumMap;
import java.util.Map;

/**
 * Says how often each kind of change happens, counted in statements.
 *
 * @param weights any unit, not negative, not all 0; a kind that is missing never happens
 */
public record ChangeProportions(Map<ChangeKind, Integer> weights) {
    public ChangeProportions {
        long total = 0;
        for (Map.Entry<ChangeKind, Integer> entry : weights.entrySet()) {
            if (entry.getValue() < 0) {
                throw new IllegalArgumentException(entry.getKey() + " has weight " + entry.getValue()
                        + ": weights start at 0");
            }
            total += entry.getValue();
        }
        if (total == 0 || total > 1_000_000) {
            throw new IllegalArgumentException("the weights' sum is " + total + ": give one from 1 to 1000000");
        }
        weights = Map.copyOf(weights);
    }

    /** Inserts and deletes at a tenth of the updates each; of the deletes, one in 33 purges a whole date. */
    public static ChangeProportions defaults() {
        Map<ChangeKind, Integer> weights = new EnumMap<>(ChangeKind.class);
        weights.put(ChangeKind.SEAT, 250);
        weights.put(ChangeKind.MEAL, 100);
        weights.put(ChangeKind.CONTACT, 80);
        weights.put(ChangeKind.FARE_CHANGE, 50);
        weights.put(ChangeKind.CHECK_IN, 300);
        weights.put(ChangeKind.CANCELLATION, 150);
        weights.put(ChangeKind.REACCOMMODATION, 70);
        weights.put(ChangeKind.NEW_BOOKING, 100);
        weights.put(ChangeKind.DROPPED_BOOKING, 97);
        weights.put(ChangeKind.PURGE, 3);
        return new ChangeProportions(weights);
    }

    /** Only those that name a booking by its reference and change rows of it, one as often as another. */
    public static ChangeProportions ofBookings() {
        Map<ChangeKind, Integer> weights = new EnumMap<>(ChangeKind.class);
        for (ChangeKind kind : new ChangeKind[] {ChangeKind.SEAT, ChangeKind.MEAL, ChangeKind.CONTACT,
            ChangeKind.CHECK_IN, ChangeKind.CANCELLATION}) {
            weights.put(kind, 1);
        }
        return new ChangeProportions(weights);
    }

    /** Chances with which a change starts, by kind: one that brings three statements starts a third as often. */
    int[] starts() {
        int[] starts = new int[ChangeKind.values().length];
        for (ChangeKind kind : ChangeKind.values()) {
            int weight = weights.getOrDefault(kind, 0);
            starts[kind.ordinal()] = kind == ChangeKind.REACCOMMODATION ? weight : weight * Disruptions.STATEMENTS;
        }
        return starts;
    }
}
