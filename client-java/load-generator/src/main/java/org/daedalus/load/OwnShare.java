package org.daedalus.load;

import java.util.List;

/**
 * The share of the machine that the generator's process took while a run was reported.
 *
 * @param cpuSeconds processor time of all its threads, those of the virtual machine, and of the kernel on their behalf
 * @param busiestThread the name of that thread of Java which took most
 * @param busiestShare of the reported time, from 0 to 1
 */
record OwnShare(double cpuSeconds, String busiestThread, double busiestShare) {
    static final OwnShare NONE = new OwnShare(0, "", 0);
    /** A thread that is busy for more of the time decides how much is sent. */
    static final double BUSY = 0.9;

    /** Microseconds for each of {@code count} requests; NaN for none. */
    double cpuMicrosOf(long count) {
        return count == 0 ? Double.NaN : cpuSeconds * 1e6 / count;
    }

    /** Lists where the generator, not the cluster, decided what was measured; empty: nowhere. */
    List<String> limits() {
        return busiestShare <= BUSY ? List.of() : List.of(String.format("the generator's own thread %s was busy %.0f %%"
                + " of the time: it, not the cluster, decided how much was answered", busiestThread,
                100 * busiestShare));
    }
}
