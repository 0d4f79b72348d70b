package org.daedalus.cli.user;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A server checks a password with this (RFC 5802, section 3, with SHA-256), written as PostgreSQL writes it: {@code
 * SCRAM-SHA-256$ITERATIONS:SALT$STOREDKEY:SERVERKEY}. It is computed from the password's bytes, which need not be text.
 */
final class ScramVerifier {
    static final int ITERATIONS = 4_096;
    static final int SALT_SIZE = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private ScramVerifier() {}

    static String of(byte[] password, byte[] salt) {
        try {
            byte[] salted = salted(password, salt);
            byte[] clientKey = hmac(salted, "Client Key".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            byte[] storedKey = MessageDigest.getInstance("SHA-256").digest(clientKey);
            byte[] serverKey = hmac(salted, "Server Key".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            Base64.Encoder base64 = Base64.getEncoder();
            return "SCRAM-SHA-256$" + ITERATIONS + ":" + base64.encodeToString(salt) + "$"
                    + base64.encodeToString(storedKey) + ":" + base64.encodeToString(serverKey);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** PBKDF2 (RFC 8018, section 5.2) of one block: Java's own takes characters, not bytes. */
    private static byte[] salted(byte[] password, byte[] salt) throws GeneralSecurityException {
        Mac mac = mac(password);
        mac.update(salt);
        byte[] last = mac.doFinal(new byte[] {0, 0, 0, 1});
        byte[] salted = last.clone();
        for (int iteration = 1; iteration < ITERATIONS; iteration++) {
            last = mac.doFinal(last);
            for (int at = 0; at < salted.length; at++) {
                salted[at] ^= last[at];
            }
        }
        return salted;
    }

    private static byte[] hmac(byte[] key, byte[] text) throws GeneralSecurityException {
        return mac(key).doFinal(text);
    }

    private static Mac mac(byte[] key) throws GeneralSecurityException {
        Mac mac = Mac.getInstance(ALGORITHM);
        mac.init(new SecretKeySpec(key, ALGORITHM));
        return mac;
    }
}
