import { randomBytes } from "node:crypto";

/**
 * Randomness as an argument: ids and secrets come from here and nowhere else, so that a test can force a collision.
 * Record ids are UUIDv7 (RFC 9562 5.7), which sort by creation and keep B-tree inserts at the right edge.
 */
export interface Ids {
  /** A UUIDv7 for a record created at `now`, lower-case. */
  uuid(now: Date): string;
  /** A fresh device id: 16 characters of lower-case base32, 80 random bits (docs/spec-decisions.md, Identity). */
  deviceId(): string;
  /** `size` random bytes. */
  bytes(size: number): Buffer;
}

const BASE32_LOWER = "abcdefghijklmnopqrstuvwxyz234567";

export const randomIds: Ids = {
  uuid: (now) => uuidV7(now, randomBytes(10)),
  deviceId: () => base32Lower(randomBytes(10)),
  bytes: (size) => randomBytes(size),
};

/** RFC 4648 base32 without padding, lower-case. */
export function base32Lower(bytes: Uint8Array): string {
  let bits = 0;
  let value = 0;
  let text = "";
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32_LOWER[(value >>> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + BASE32_LOWER[(value << (5 - bits)) & 31] : text;
}

function uuidV7(now: Date, random: Buffer): string {
  const time = now.getTime().toString(16).padStart(12, "0");
  const tail = Buffer.from(random);
  tail[0] = (tail[0]! & 0x0f) | 0x70;
  tail[2] = (tail[2]! & 0x3f) | 0x80;
  const hex = tail.toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether `text` is a lower-case UUID; an id of any other shape is simply unknown, never an error of the database. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
