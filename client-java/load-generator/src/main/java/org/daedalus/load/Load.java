package org.daedalus.load;

import java.util.function.Supplier;
import org.daedalus.workload.SqlStatement;

/**
 * One kind of requests that an {@link OpenLoop} offers.
 *
 * @param name what reports call them
 * @param perSecond requests a second, on average
 * @param inFlightMax requests without an answer; one more that falls due is not sent
 * @param seed of the times at which they are due
 * @param source what is sent, one after the other; called by the loop's thread only
 * @param target where to
 */
record Load(String name, double perSecond, int inFlightMax, long seed, Supplier<SqlStatement> source, Target target) {}
