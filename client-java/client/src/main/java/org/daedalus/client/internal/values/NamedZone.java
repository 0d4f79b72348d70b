package org.daedalus.client.internal.values;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.daedalus.client.ValueException;
import org.daedalus.client.internal.values.DatetimeFields.Field;

/**
 * Finds the time zone that a datetime names, in this machine's Java. It reads a time that the clocks of the zone leave
 * out as if they had not been put forward yet, and of a time that they show twice the later one, as PostgreSQL does.
 */
final class NamedZone {
    private NamedZone() {}

    /** All zones that Java knows, by their names in small letters; made when the first one is looked for. */
    private static final class Known {
        static final Map<String, ZoneId> ZONES = ZoneId.getAvailableZoneIds().stream()
                .collect(Collectors.toUnmodifiableMap(name -> name.toLowerCase(Locale.ROOT), ZoneId::of));
    }

    /**
     * Returns the zone that one of the fields names; null where none does.
     *
     * @throws ValueException where the name is like that of a place, and there is no such zone
     */
    static ZoneId find(List<Field> fields) throws ValueException {
        for (Field field : fields) {
            String name = field.text().toLowerCase(Locale.ROOT);
            if (DatetimeWords.isPlace(name) || DatetimeWords.isZone(name)) {
                ZoneId zone = Known.ZONES.get(name);
                if (zone == null && DatetimeWords.isPlace(name)) {
                    throw new ValueException("22023", "time zone \"" + name + "\" not recognized");
                }
                if (zone != null) {
                    return zone;
                }
            }
        }
        return null;
    }

    /** Returns the instant at which the clocks of {@code zone} show this. */
    static Instant instant(LocalDateTime clock, ZoneId zone) {
        return clock.atZone(zone).withLaterOffsetAtOverlap().toInstant();
    }
}
