package org.daedalus.writer;

import org.daedalus.wire.Constants;
import org.daedalus.wire.WireException;
import org.daedalus.wire.v1.Constant;

/** Collects, while an update is checked, the first version of the language that has all of it. */
final class NeededLanguage {
    private final Language language;
    private int version = 1;

    NeededLanguage(Language language) {
        this.language = language;
    }

    int version() {
        return version;
    }

    void need(int needed) {
        version = Math.max(version, needed);
    }

    void need(Language.Kind kind, int number) {
        need(language.since(kind, number));
    }

    /** Reads a constant, null among them, and needs a version that takes its value. */
    Object read(Constant constant) throws WireException {
        Object value = Constants.toValue(constant);
        need(Language.neededBy(value));
        return value;
    }
}
