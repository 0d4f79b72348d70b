package org.daedalus.load;

import java.util.function.Supplier;
import org.daedalus.workload.SqlStatement;

/**
 * One kind of requests that a {@link LoadRun} offers.
 *
 * @param name what reports call them
 * @param perSecond requests a second, on average; 0: as many as answers let leave, {@code inFlightMax} at a time
 * @param inFlightMax requests without an answer; in an open loop one more that falls due is not sent
 * @param seed of the times at which they are due
 * @param source what is sent, one after the other; in an open loop called by the run's thread only
 * @param target where to
 */
record Load(String name, double perSecond, int inFlightMax, long seed, Supplier<SqlStatement> source, Target target) {
    /** Says whether so many are in flight at any time, however fast answers come. */
    boolean isClosed() {
        return perSecond == 0;
    }
}
