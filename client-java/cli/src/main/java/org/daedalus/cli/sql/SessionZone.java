package org.daedalus.cli.sql;

import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * The time zone of a session.
 *
 * @param name as the cluster takes it and SHOW says it
 * @param zone the same zone, to show timestamps in it
 */
record SessionZone(String name, ZoneId zone) {
    static final SessionZone UTC = new SessionZone("UTC", ZoneOffset.UTC);

    private static final int HOURS_MAX = 18;

    /** Returns the zone that statements name; empty for the zone that they have by themselves. */
    String nameToSend() {
        return equals(UTC) ? "" : name;
    }

    /** Returns the zone of this name, in whatever letters; empty where there is none. */
    static Optional<SessionZone> find(String name) {
        if (name.equalsIgnoreCase(UTC.name())) {
            return Optional.of(UTC);
        }
        return ZoneId.getAvailableZoneIds().stream().filter(name::equalsIgnoreCase).findFirst()
                .map(known -> new SessionZone(known, ZoneId.of(known)));
    }

    /**
     * Returns the zone that lies so many hours east of Greenwich, named as PostgreSQL does; empty where Java
     * has no clock that is so far off.
     */
    static Optional<SessionZone> ofHours(int hours) {
        if (Math.abs(hours) > HOURS_MAX) {
            return Optional.empty();
        }
        return Optional.of(new SessionZone(String.format("<%+03d>%+03d", hours, -hours), ZoneOffset.ofHours(hours)));
    }
}
