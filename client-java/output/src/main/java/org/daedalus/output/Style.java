package org.daedalus.output;

import java.util.function.IntSupplier;

/**
 * Says how answers are to look.
 *
 * @param tuplesOnly rows alone: no head, no line with counts
 * @param expanded whether tables show one column a line
 * @param nullText what stands for NULL; null: what the format has for it
 * @param timing whether tables say how long the answer took
 * @param width columns of the terminal, which AUTO goes by; 0: no terminal, so lines may have any length; asked for
 *     only where lines are long
 */
public record Style(boolean tuplesOnly, Expanded expanded, String nullText, boolean timing, IntSupplier width) {
    /** One column a line: never, always, or where rows are wider than the terminal. */
    public enum Expanded {
        OFF, ON, AUTO
    }

    /** Output that is no terminal has this style when no option says otherwise. */
    public static final Style DEFAULT = new Style(false, Expanded.AUTO, null, true, () -> 0);

    String nullTextOr(String ofFormat) {
        return nullText != null ? nullText : ofFormat;
    }
}
