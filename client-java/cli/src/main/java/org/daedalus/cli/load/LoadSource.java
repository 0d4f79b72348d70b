package org.daedalus.cli.load;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import org.daedalus.cli.CliException;

/**
 * Gives the bytes of a load: from a file, or from a stream that can be read once (standard input, a pipe). It
 * decompresses what gzip has compressed, which it knows by the first two bytes, whatever the name. Knows nothing of
 * records.
 */
final class LoadSource {
    private static final int GZIP_FIRST = 0x1f;
    private static final int GZIP_SECOND = 0x8b;
    private static final int BUFFER_SIZE = 1 << 16;

    private final String label;
    /** This is null for standard input. */
    private final Path path;
    private final boolean repeatable;
    private final Charset encoding;

    private LoadSource(String label, Path path, boolean repeatable, Charset encoding) {
        this.label = label;
        this.path = path;
        this.repeatable = repeatable;
        this.encoding = encoding;
    }

    static LoadSource standardInput() {
        return new LoadSource("standard input", null, false, StandardCharsets.UTF_8);
    }

    /** Returns a file that is there and can be read; says why when it cannot. */
    static LoadSource of(Path file) throws CliException {
        if (!Files.exists(file)) {
            throw CliException.usage("cannot read " + file + ": "
                    + (canLookInto(file) ? "there is no such file" : "permission denied"));
        }
        if (Files.isDirectory(file)) {
            throw CliException.usage("cannot read " + file + ": it is a directory");
        }
        if (!Files.isReadable(file)) {
            throw CliException.usage("cannot read " + file + ": permission denied");
        }
        return new LoadSource(file.toString(), file, Files.isRegularFile(file), StandardCharsets.UTF_8);
    }

    /** Returns a source whose text is of this character set. */
    LoadSource encodedIn(Charset charset) {
        return new LoadSource(label, path, repeatable, charset);
    }

    static Path path(String name) throws CliException {
        try {
            return Path.of(name);
        } catch (InvalidPathException e) {
            throw CliException.usage("cannot read " + name + ": " + e.getReason());
        }
    }

    /** Returns the last part of a path. */
    static String fileName(String name) {
        return Path.of(name).toAbsolutePath().getFileName().toString();
    }

    private static boolean canLookInto(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null || !Files.isDirectory(parent) || Files.isExecutable(parent);
    }

    /** Returns the name for messages. */
    String label() {
        return label;
    }

    /** Returns the file, without links; null for standard input. */
    Path realPath() throws IOException {
        return path == null ? null : path.toRealPath();
    }

    /** Says whether it can be read again from its start. */
    boolean isRepeatable() {
        return repeatable;
    }

    /**
     * Opens it: the bytes as they were before they were compressed, in UTF-8.
     *
     * @param shown shows how far the file has been read; null for nobody to see
     */
    InputStream open(Progress.Bar shown) throws IOException {
        InputStream raw = path == null ? System.in : new FileInputStream(path.toFile());
        try {
            InputStream bytes = new BufferedInputStream(shown == null ? raw : new Progress(raw, shown), BUFFER_SIZE);
            bytes.mark(2);
            boolean isCompressed = bytes.read() == GZIP_FIRST && bytes.read() == GZIP_SECOND;
            bytes.reset();
            InputStream text = isCompressed ? new GZIPInputStream(bytes, BUFFER_SIZE) : bytes;
            return encoding.equals(StandardCharsets.UTF_8) ? text : new RecodedInput(text, encoding);
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** Returns the bytes as they lie on disk; 0 where nobody knows. */
    long size() throws IOException {
        return repeatable ? Files.size(path) : 0;
    }

    /** Says for people why reading failed. */
    static String reason(IOException failure) {
        if (failure instanceof java.io.EOFException) {
            return "the compressed file ends too early";
        }
        if (failure instanceof java.util.zip.ZipException) {
            return "the compressed file is damaged (" + failure.getMessage() + ")";
        }
        if (failure instanceof NoSuchFileException || failure instanceof FileNotFoundException) {
            return "there is no such file any more";
        }
        if (failure instanceof AccessDeniedException) {
            return "permission denied";
        }
        if (failure instanceof CharacterCodingException) {
            return "not UTF-8";
        }
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }
}
