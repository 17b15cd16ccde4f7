import { createHmac, timingSafeEqual } from "node:crypto";
import { SECOND } from "../../lib/clock.ts";
import type { Hook } from "./webhook-sink.ts";

const TOLERANCE_MS = 300 * SECOND;

/**
 * Verifies a webhook message as a receiver does (standardwebhooks.com): one of its signatures is valid for id, time and
 * body, and the time is within five minutes.
 *
 * @param secret `whsec_` and the key in base64
 */
export function isGenuine({ headers, body }: Hook, secret: string, now: Date): boolean {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headers[`webhook-${name}`]);
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  const signed = String(signatures)
    .split(" ")
    .filter((each) => each.startsWith("v1,"))
    .map((each) => Buffer.from(each.slice("v1,".length), "base64"))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected));
  return signed && Math.abs(now.getTime() - Number(timestamp) * SECOND) <= TOLERANCE_MS;
}
