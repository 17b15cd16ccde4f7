import type { ConnectionOptions } from "node:tls";

/** What TLS clients offer, and the group that a listener of ours must choose. Clients of TLS 1.2 need the curve of our certificate, too. */
export const keyExchanges: readonly (readonly [ConnectionOptions, string])[] = [
  [{}, "X25519MLKEM768"],
  [{ ecdhCurve: "X25519MLKEM768" }, "X25519MLKEM768"],
  // The first group is the one whose key share these send.
  [{ ecdhCurve: "X25519:X25519MLKEM768" }, "X25519MLKEM768"],
  [{ ecdhCurve: "P-256:X25519MLKEM768" }, "X25519MLKEM768"],
  [{ ecdhCurve: "X25519" }, "X25519"],
  [{ ecdhCurve: "P-256" }, "prime256v1"],
  [{ ecdhCurve: "P-384" }, "secp384r1"],
  [{ maxVersion: "TLSv1.2" }, "X25519"],
  [{ maxVersion: "TLSv1.2", ecdhCurve: "X25519:P-256" }, "X25519"],
  [{ maxVersion: "TLSv1.2", ecdhCurve: "P-256" }, "prime256v1"],
];

/** Offers without a group of ours; the hybrid one needs TLS 1.3. */
export const refusedKeyExchanges: readonly ConnectionOptions[] = [
  { ecdhCurve: "P-521" },
  { ecdhCurve: "X448" },
  { ecdhCurve: "ffdhe2048" },
  { ecdhCurve: "X25519MLKEM768", maxVersion: "TLSv1.2" },
];
