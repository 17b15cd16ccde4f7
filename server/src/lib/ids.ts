import { randomBytes, randomFillSync } from "node:crypto";

/**
 * The source of randomness, passed as an argument: all ids and secrets come from here, so that a test can force a
 * collision. Record ids are UUIDv7 (RFC 9562 5.7), which sort by creation and so keep B-tree inserts at the right edge.
 * The `uuid` package is not used because it draws its random octets itself.
 */
export interface Ids {
  /** Returns a UUIDv7 for a record created at `now`, lower-case. */
  uuid(now: Date): string;
  /** Returns a new device id: 16 characters of lower-case base32, 80 random bits (docs/spec-decisions.md, Identity). */
  deviceId(): string;
  /** Returns `size` random bytes. */
  bytes(size: number): Buffer;
}

const BASE32_LOWER = "abcdefghijklmnopqrstuvwxyz234567";

export const randomIds: Ids = {
  uuid: uuidV7Maker(),
  deviceId: () => base32Lower(pooled(10)),
  bytes: (size) => (size <= 64 ? pooled(size) : randomBytes(size)),
};

const pool = Buffer.alloc(4096);
let unused = pool.length;

/**
 * Returns random bytes from a pool of 4 KiB, because a call for 10 bytes costs as much as one for 4096. Erases them
 * from the pool.
 */
function pooled(size: number): Buffer {
  if (unused + size > pool.length) {
    randomFillSync(pool);
    unused = 0;
  }
  const bytes = Buffer.from(pool.subarray(unused, unused + size));
  pool.fill(0, unused, unused + size);
  unused += size;
  return bytes;
}

/** Encodes bytes as RFC 4648 base32 without padding, lower-case. */
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

/**
 * Creates a generator of UUIDv7s that also sort by creation within one millisecond of this process: 24 bits count up
 * from a random start (RFC 9562 6.2, method 1), and 50 are random each time.
 */
function uuidV7Maker(): (now: Date) => string {
  let last = -1;
  let count = 0;
  return (now) => {
    const at = now.getTime();
    const random = pooled(10);
    count = at === last ? (count + 1) & 0xffffff : random.readUIntBE(0, 3) & 0x7fffff;
    last = at;
    const time = at.toString(16).padStart(12, "0");
    random.writeUInt16BE(0x7000 | (count >>> 12), 0);
    random.writeUInt16BE(0x8000 | ((count & 0xfff) << 2) | (random[3]! & 3), 2);
    const hex = random.toString("hex");
    return `${time.slice(0, 8)}-${time.slice(8)}-${hex.slice(0, 4)}-${hex.slice(4, 8)}-${hex.slice(8)}`;
  };
}

const LAST_MS = 2 ** 48 - 1;

/** Returns the smallest UUIDv7 of a record created at `at` or later: a bound for searching keys by time. */
export function uuidFloor(at: Date): string {
  const time = Math.min(Math.max(at.getTime(), 0), LAST_MS).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Reports whether `text` is a lower-case UUID. Callers answer `not_found` for other ids without a query, which would
 * fail.
 */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const DEVICE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Reports whether `text` can be a device id (docs/spec-decisions.md, Identity). Callers answer `not_found` for other
 * ids.
 */
export function isDeviceId(text: string): boolean {
  return DEVICE_ID.test(text);
}
