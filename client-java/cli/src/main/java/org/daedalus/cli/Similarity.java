package org.daedalus.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Guesses which name somebody meant who wrote one that does not exist. */
public final class Similarity {
    private static final int DISTANCE_MAX = 2;

    private Similarity() {}

    /**
     * Returns the nearest of some names, if any is near: two letters apart, and no more than half of what was written.
     */
    public static Optional<String> nearest(String written, Collection<String> names) {
        int max = Math.min(DISTANCE_MAX, written.length() / 2);
        return names.stream().filter(name -> distance(written, name) <= max)
                .min(Comparator.<String>comparingInt(name -> distance(written, name)).thenComparing(name -> name));
    }

    /** Letters to put in, take out or replace until one word is the other. */
    public static int distance(String left, String right) {
        int[] costs = new int[right.length() + 1];
        for (int j = 0; j <= right.length(); j++) {
            costs[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = costs[0];
            costs[0] = i;
            for (int j = 1; j <= right.length(); j++) {
                int replaced = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                diagonal = costs[j];
                costs[j] = Math.min(replaced, 1 + Math.min(costs[j], costs[j - 1]));
            }
        }
        return costs[right.length()];
    }
}
