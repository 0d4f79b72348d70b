package org.daedalus.client.internal.values;

import java.math.BigDecimal;
import java.math.MathContext;

/** Floating-point numbers as PostgreSQL prints them: the fewest digits that can only mean this number. */
public final class FloatText {
    private static final BigDecimal TWO = BigDecimal.valueOf(2);
    /** Two decimals with so many digits never read as the same normal number. */
    private static final int DOUBLE_DIGITS_EXACT = 15;
    private static final int FLOAT_DIGITS_EXACT = 6;
    private static final int DOUBLE_DIGITS_MAX = 17;
    private static final int FLOAT_DIGITS_MAX = 9;
    private static final int DOUBLE_FIXED_EXPONENT_MAX = 15;
    private static final int FLOAT_FIXED_EXPONENT_MAX = 6;
    private static final int FIXED_EXPONENT_MIN = -4;

    private FloatText() {}

    public static String format(double value) {
        if (!Double.isFinite(value) || value == 0) {
            return special(value);
        }
        double magnitude = Math.abs(value);
        BigDecimal guess = new BigDecimal(Double.toString(magnitude)).stripTrailingZeros();
        BigDecimal above = magnitude == Double.MAX_VALUE
                ? new BigDecimal(magnitude).add(new BigDecimal(Math.ulp(magnitude)))
                : new BigDecimal(Math.nextUp(magnitude));
        BigDecimal below = new BigDecimal(Math.nextDown(magnitude));
        BigDecimal shortest = shortest(new BigDecimal(magnitude), below, above, guess,
                magnitude >= Double.MIN_NORMAL ? DOUBLE_DIGITS_EXACT : 1, DOUBLE_DIGITS_MAX);
        return layout(value < 0, shortest, DOUBLE_FIXED_EXPONENT_MAX);
    }

    public static String format(float value) {
        if (!Float.isFinite(value) || value == 0) {
            return special(value);
        }
        float magnitude = Math.abs(value);
        BigDecimal guess = new BigDecimal(Float.toString(magnitude)).stripTrailingZeros();
        BigDecimal above = magnitude == Float.MAX_VALUE
                ? new BigDecimal(magnitude).add(new BigDecimal(Math.ulp(magnitude)))
                : new BigDecimal(Math.nextUp(magnitude));
        BigDecimal below = new BigDecimal(Math.nextDown(magnitude));
        BigDecimal shortest = shortest(new BigDecimal(magnitude), below, above, guess,
                magnitude >= Float.MIN_NORMAL ? FLOAT_DIGITS_EXACT : 1, FLOAT_DIGITS_MAX);
        return layout(value < 0, shortest, FLOAT_FIXED_EXPONENT_MAX);
    }

    /**
     * Returns the shortest decimal strictly between the middles to the neighbours; one on a middle reads back, too, but
     * only by the rule for ties.
     *
     * @param guess a decimal that reads back
     * @param digitsExact a guess with so many digits cannot be shortened
     */
    private static BigDecimal shortest(BigDecimal value, BigDecimal below, BigDecimal above, BigDecimal guess,
            int digitsExact, int digitsMax) {
        BigDecimal low = value.add(below).divide(TWO);
        BigDecimal high = value.add(above).divide(TWO);
        boolean isShort = guess.precision() <= digitsExact;
        if (isShort && isBetween(guess, low, high)) {
            return guess;
        }
        for (int digits = isShort ? guess.precision() : digitsExact; digits < digitsMax; digits++) {
            BigDecimal candidate = value.round(new MathContext(digits));
            if (isBetween(candidate, low, high)) {
                return candidate.stripTrailingZeros();
            }
        }
        return value.round(new MathContext(digitsMax)).stripTrailingZeros();
    }

    private static boolean isBetween(BigDecimal value, BigDecimal low, BigDecimal high) {
        return value.compareTo(low) > 0 && value.compareTo(high) < 0;
    }

    private static String special(double value) {
        if (value == 0) {
            return Double.doubleToRawLongBits(value) < 0 ? "-0" : "0";
        }
        return Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }

    private static String layout(boolean negative, BigDecimal magnitude, int fixedExponentMax) {
        String sign = negative ? "-" : "";
        int exponent = magnitude.precision() - magnitude.scale() - 1;
        if (exponent >= FIXED_EXPONENT_MIN && exponent < fixedExponentMax) {
            return sign + magnitude.toPlainString();
        }
        String digits = magnitude.unscaledValue().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return sign + mantissa + String.format("e%c%02d", exponent < 0 ? '-' : '+', Math.abs(exponent));
    }
}
