package org.daedalus.cli.user;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class ScramVerifierTest {
    private static final String NONCE = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    private static final String SALT = "W22ZaJ0SNY7soEsUEjb6gQ==";

    private static byte[] hmac(byte[] key, String text) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        return mac.doFinal(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The exchange that the RFC prints fits the verifier of its password, and no other. */
    @Test
    void shouldFitTheExchangeOfRfc7677Section3() throws Exception {
        Base64.Decoder base64 = Base64.getDecoder();
        String verifier = ScramVerifier.of("pencil".getBytes(StandardCharsets.US_ASCII), base64.decode(SALT));
        assertThat(verifier).startsWith("SCRAM-SHA-256$4096:" + SALT + "$");
        String[] keys = verifier.substring(verifier.lastIndexOf('$') + 1).split(":");
        byte[] storedKey = base64.decode(keys[0]);
        String said = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + NONCE + ",s=" + SALT + ",i=4096,c=biws,r=" + NONCE;
        byte[] clientKey = hmac(storedKey, said);
        byte[] proof = base64.decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
        for (int at = 0; at < proof.length; at++) {
            clientKey[at] ^= proof[at];
        }
        assertThat(MessageDigest.getInstance("SHA-256").digest(clientKey)).isEqualTo(storedKey);
        assertThat(hmac(base64.decode(keys[1]), said))
                .isEqualTo(base64.decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="));
    }
}
