package org.daedalus.client;

import java.math.BigDecimal;
import java.math.MathContext;

/** Floating-point numbers as PostgreSQL prints them: the fewest digits that read back as the same number. */
final class FloatText {
    /** With so many digits or fewer, no two decimals read as the same normal number, so none can be shortened. */
    private static final int DOUBLE_DIGITS_EXACT = 15;
    private static final int FLOAT_DIGITS_EXACT = 6;
    private static final int DOUBLE_FIXED_EXPONENT_MAX = 15;
    private static final int FLOAT_FIXED_EXPONENT_MAX = 6;
    private static final int FIXED_EXPONENT_MIN = -4;

    private FloatText() {}

    static String format(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return special(value);
        }
        BigDecimal shortest = new BigDecimal(Double.toString(value)).stripTrailingZeros();
        int digits = shortest.precision();
        int fewest = Math.abs(value) < Double.MIN_NORMAL ? 1 : DOUBLE_DIGITS_EXACT;
        for (int fewer = fewest; fewer < digits; fewer++) {
            BigDecimal candidate = new BigDecimal(value).round(new MathContext(fewer));
            if (candidate.doubleValue() == value) {
                shortest = candidate.stripTrailingZeros();
                break;
            }
        }
        return layout(shortest, isNegative(value), DOUBLE_FIXED_EXPONENT_MAX);
    }

    static String format(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return special(value);
        }
        BigDecimal shortest = new BigDecimal(Float.toString(value)).stripTrailingZeros();
        int digits = shortest.precision();
        int fewest = Math.abs(value) < Float.MIN_NORMAL ? 1 : FLOAT_DIGITS_EXACT;
        for (int fewer = fewest; fewer < digits; fewer++) {
            BigDecimal candidate = new BigDecimal(value).round(new MathContext(fewer));
            if (candidate.floatValue() == value) {
                shortest = candidate.stripTrailingZeros();
                break;
            }
        }
        return layout(shortest, isNegative(value), FLOAT_FIXED_EXPONENT_MAX);
    }

    private static boolean isNegative(double value) {
        return Double.doubleToRawLongBits(value) < 0;
    }

    private static String special(double value) {
        return Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }

    private static String layout(BigDecimal value, boolean negative, int fixedExponentMax) {
        String sign = negative ? "-" : "";
        if (value.signum() == 0) {
            return sign + "0";
        }
        BigDecimal magnitude = value.abs();
        int exponent = magnitude.precision() - magnitude.scale() - 1;
        if (exponent >= FIXED_EXPONENT_MIN && exponent < fixedExponentMax) {
            return sign + magnitude.toPlainString();
        }
        String digits = magnitude.unscaledValue().toString();
        String mantissa = digits.length() == 1 ? digits : digits.charAt(0) + "." + digits.substring(1);
        return sign + mantissa + String.format("e%c%02d", exponent < 0 ? '-' : '+', Math.abs(exponent));
    }
}
