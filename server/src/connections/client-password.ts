import { createHash, timingSafeEqual } from "node:crypto";
import type { Ids } from "../lib/ids.ts";

const BYTES = 24;

/**
 * A password for an MQTT client: 192 random bits, made by the server, never chosen by a person. That is why a plain
 * SHA-256 is an adequate stored form: nobody can try 2^192 candidates, so a slow hash would protect nothing and would
 * make each connect (and each guess of a stranger) cost tens of milliseconds of CPU. Should passwords ever be chosen by
 * people, this has to become a password hash.
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
