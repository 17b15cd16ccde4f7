import { createHash, timingSafeEqual } from "node:crypto";
import type { Ids } from "../lib/ids.ts";

const BYTES = 24;

/**
 * Returns a new password for an MQTT client: 192 random bits drawn by the server, never chosen by a person. A plain
 * SHA-256 is therefore an adequate stored form. An attacker cannot try 2^192 candidates, and a slow hash would only add
 * tens of milliseconds of CPU to each connect and each guess. Passwords chosen by people would need a password hash.
 */
export function newClientPassword(ids: Pick<Ids, "bytes">): string {
  return ids.bytes(BYTES).toString("base64url");
}

/** Returns the stored form, `sha256:<hex>`. */
export function hashClientPassword(password: string): string {
  return `sha256:${createHash("sha256").update(password).digest("hex")}`;
}

/** Compares `password` with the stored form in constant time. */
export function isClientPassword(password: string, stored: string): boolean {
  const given = Buffer.from(hashClientPassword(password));
  const known = Buffer.from(stored);
  return given.length === known.length && timingSafeEqual(given, known);
}
