package org.daedalus.workload;

import java.time.LocalDateTime;

/**
 * The tickets depend on these beside schedule and seed.
 *
 * @param now tickets have been booked until then; flights that left before have been flown
 * @param nearDays mean days between booking and departure for most passengers
 * @param farDays the same for those who plan long ahead
 * @param farShare how many of all plan long ahead, 0 to 1
 * @param keptDays old dates thin out by a factor of e in so many days
 */
public record TicketParameters(LocalDateTime now, double nearDays, double farDays, double farShare, double keptDays) {
    public TicketParameters {
        if (!(nearDays > 0 && farDays > 0 && keptDays > 0 && farShare >= 0 && farShare <= 1)) {
            throw new IllegalArgumentException("nearDays " + nearDays + ", farDays " + farDays + " and keptDays "
                    + keptDays + " must be above 0, farShare " + farShare + " from 0 to 1");
        }
    }

    /** Returns the morning of 2013-02-08, before a blizzard closed New York's airports. */
    public static TicketParameters defaults() {
        return at(LocalDateTime.of(2013, 2, 8, 7, 0));
    }

    /** Returns the ordinary curve, seen at another time. */
    public static TicketParameters at(LocalDateTime now) {
        return new TicketParameters(now, 30, 110, 0.25, 60);
    }
}
