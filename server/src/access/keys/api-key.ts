import { hash } from "node:crypto";
import { crc32 } from "node:zlib";
import { base32Lower, type Ids } from "../../lib/ids.ts";
import { base62, base62Number } from "./base62.ts";

/** `mstr_<8-character public id>_<43-character secret><6-character CRC>` (docs/spec-decisions.md, Identity). */
const SHAPE = /^mstr_([a-z2-7]{8})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const LENGTH = 63;

export interface ParsedKey {
  /** Public: `apikey:<id>` in audit entries. */
  id: string;
  /** SHA-256 of the secret part, in hex; the secret itself is not stored. */
  secretHash: string;
}

/** Generates a key with a 256-bit secret; `text` is shown once. */
export function makeKey(ids: Ids): ParsedKey & { text: string } {
  const id = base32Lower(ids.bytes(5));
  const secret = base62(ids.bytes(32), 43);
  return { id, secretHash: hash("sha256", secret), text: `mstr_${id}_${secret}${checksum(id, secret)}` };
}

/**
 * Returns the parts of a presented key, or `undefined` when shape or checksum is wrong, which is refused without a
 * look-up.
 */
export function parseKey(presented: string): ParsedKey | undefined {
  if (presented.length !== LENGTH) return undefined;
  const [, id, secret, sum] = SHAPE.exec(presented) ?? [];
  if (id === undefined || secret === undefined || sum !== checksum(id, secret)) return undefined;
  return { id, secretHash: hash("sha256", secret) };
}

/** Returns a checksum that helps scanners and typists recognize a key; it is no security measure. */
function checksum(id: string, secret: string): string {
  return base62Number(crc32(`mstr_${id}_${secret}`), 6);
}
