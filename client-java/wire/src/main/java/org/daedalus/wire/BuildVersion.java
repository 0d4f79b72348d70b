package org.daedalus.wire;

/** Which version of Daedalus this is. CMakeLists.txt states it; tools/lint_version.sh holds the rest to it. */
public final class BuildVersion {
    /** Major, minor, patch. */
    public static final String VERSION = "0.1.0";

    private BuildVersion() {}
}
