import { createHash, timingSafeEqual } from "node:crypto";
import type { Ids } from "../lib/ids.ts";

const BYTES = 24;

/**
 * A password for an MQTT client: 192 random bits, drawn by the server, never chosen by a person. So a plain SHA-256 is an
 * adequate stored form: 2^192 candidates cannot be tried, and a slow hash would only make each connect and each guess cost
 * tens of milliseconds of CPU. Passwords chosen by people would need a password hash.
 */
export function newClientPassword(ids: Pick<Ids, "bytes">): string {
  return ids.bytes(BYTES).toString("base64url");
}

/** What is stored: `sha256:<hex>`. */
export function hashClientPassword(password: string): string {
  return `sha256:${createHash("sha256").update(password).digest("hex")}`;
}

/** Whether `password` is the one stored, in constant time. */
export function isClientPassword(password: string, stored: string): boolean {
  const given = Buffer.from(hashClientPassword(password));
  const known = Buffer.from(stored);
  return given.length === known.length && timingSafeEqual(given, known);
}
