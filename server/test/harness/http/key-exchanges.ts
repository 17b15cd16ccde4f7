import type { ConnectionOptions } from "node:tls";

/**
 * The groups that TLS clients offer, and the group that our listeners must choose. TLS 1.2 clients must also offer the
 * curve of our certificate.
 */
export const keyExchanges: readonly (readonly [ConnectionOptions, string])[] = [
  [{}, "X25519MLKEM768"],
  [{ ecdhCurve: "X25519MLKEM768" }, "X25519MLKEM768"],
  // These clients send a key share for the first group.
  [{ ecdhCurve: "X25519:X25519MLKEM768" }, "X25519MLKEM768"],
  [{ ecdhCurve: "P-256:X25519MLKEM768" }, "X25519MLKEM768"],
  [{ ecdhCurve: "X25519" }, "X25519"],
  [{ ecdhCurve: "P-256" }, "prime256v1"],
  [{ ecdhCurve: "P-384" }, "secp384r1"],
  [{ maxVersion: "TLSv1.2" }, "X25519"],
  [{ maxVersion: "TLSv1.2", ecdhCurve: "X25519:P-256" }, "X25519"],
  [{ maxVersion: "TLSv1.2", ecdhCurve: "P-256" }, "prime256v1"],
];

/** Offers that contain none of our groups. The hybrid group requires TLS 1.3. */
export const refusedKeyExchanges: readonly ConnectionOptions[] = [
  { ecdhCurve: "P-521" },
  { ecdhCurve: "X448" },
  { ecdhCurve: "ffdhe2048" },
  { ecdhCurve: "X25519MLKEM768", maxVersion: "TLSv1.2" },
];
