package org.daedalus.demo;

/** The system must keep this: every query answered and every update visible within two seconds. */
final class Requirement {
    static final double LATENCY_MS_MAX = 2_000;

    private Requirement() {}

    static String verdict(double ms) {
        return ms <= LATENCY_MS_MAX ? "met" : "NOT MET";
    }
}
