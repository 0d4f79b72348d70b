package org.daedalus.wire;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Says which version of Daedalus this is. CMakeLists.txt states it; tools/lint_version.sh holds the rest to it. */
public final class BuildVersion {
    /** Major, minor, patch. */
    public static final String VERSION = "0.1.0";

    private BuildVersion() {}

    /**
     * Version and commit, as in {@code 0.1.0, commit 0123456789ab}. The commit is the one that Java was last built at.
     * It ends with a plus where files differed from it, and is {@code unknown} where the build did not say one.
     */
    public static String text() {
        Properties build = new Properties();
        try (InputStream file = BuildVersion.class.getResourceAsStream("build.properties")) {
            build.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return VERSION + ", commit " + build.getProperty("commit");
    }
}
