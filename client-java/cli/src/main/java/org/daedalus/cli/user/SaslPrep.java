package org.daedalus.cli.user;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;

/**
 * A password as both sides compute with it (RFC 4013): different ways to type the same characters come to the same
 * bytes. As in PostgreSQL, one that may not be prepared, or is no UTF-8, counts as the bytes it is.
 *
 * <p>Characters that came after Unicode 3.2 are taken for what they are today, where PostgreSQL leaves a password that
 * has any as it is: the same, unless it has others, too, that are prepared.
 */
final class SaslPrep {
    private SaslPrep() {}

    static byte[] prepare(byte[] password) {
        try {
            String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password)).toString();
            String prepared = Normalizer.normalize(map(text), Normalizer.Form.NFKC);
            boolean isFine = !prepared.isEmpty() && prepared.codePoints().noneMatch(SaslPrep::isProhibited)
                    && isOfOneDirection(prepared);
            return isFine ? prepared.getBytes(StandardCharsets.UTF_8) : password;
        } catch (CharacterCodingException e) {
            return password;
        }
    }

    /** Section 2.1: other blanks are blanks, and what is not seen is nothing. */
    private static String map(String text) {
        StringBuilder mapped = new StringBuilder();
        text.codePoints().filter(c -> !isNothing(c)).map(c -> isBlank(c) ? ' ' : c).forEach(mapped::appendCodePoint);
        return mapped.toString();
    }

    /** RFC 3454, table C.1.2; U+200B is mapped to nothing before. */
    private static boolean isBlank(int c) {
        return c != ' ' && Character.getType(c) == Character.SPACE_SEPARATOR;
    }

    /** RFC 3454, table B.1. */
    private static boolean isNothing(int c) {
        return c == 0xad || c == 0x34f || c == 0x1806 || c >= 0x180b && c <= 0x180d || c >= 0x200b && c <= 0x200d
                || c == 0x2060 || c >= 0xfe00 && c <= 0xfe0f || c == 0xfeff;
    }

    /** RFC 3454, tables C.1.2 and C.2 to C.9. */
    private static boolean isProhibited(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.PRIVATE_USE, Character.SURROGATE, Character.UNASSIGNED,
                Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            case Character.FORMAT -> true;
            default -> isBlank(c) || c == 0x340 || c == 0x341 || c >= 0x2ff0 && c <= 0x2ffb
                    || c == 0xfffc || c == 0xfffd;
        };
    }

    /** RFC 3454, section 6: what is written from right to left begins and ends so, and has nothing else within. */
    private static boolean isOfOneDirection(String text) {
        if (text.codePoints().noneMatch(SaslPrep::isRightToLeft)) {
            return true;
        }
        return isRightToLeft(text.codePointAt(0)) && isRightToLeft(text.codePointBefore(text.length()))
                && text.codePoints().noneMatch(
                        c -> Character.getDirectionality(c) == Character.DIRECTIONALITY_LEFT_TO_RIGHT);
    }

    private static boolean isRightToLeft(int c) {
        byte direction = Character.getDirectionality(c);
        return direction == Character.DIRECTIONALITY_RIGHT_TO_LEFT
                || direction == Character.DIRECTIONALITY_RIGHT_TO_LEFT_ARABIC;
    }
}
