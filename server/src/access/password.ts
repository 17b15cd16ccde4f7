import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Ids } from "../lib/ids.ts";
import { base62 } from "./keys/base62.ts";

/** Argon2id with 19 MiB and two passes: the minimum of OWASP's password storage advice; about 40 ms on one core. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const TAG_LENGTH = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

/** Returns a random password of 128 bits as 22 letters and digits; it is shown once. */
export function makePassword(ids: Ids): string {
  return base62(ids.bytes(16), 22);
}

/** Hashes a password with Argon2id and a fresh salt, in the PHC string format. */
export async function hashPassword(password: string, ids: Ids): Promise<string> {
  const salt = ids.bytes(16);
  const tag = await argon2id(password, salt, MEMORY_KIB, PASSES, PARALLELISM, TAG_LENGTH);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Returns whether `stored` was made from `password`; `false` for a stored value in any other format. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(stored) ?? [];
  if (salt === undefined || tag === undefined) return false;
  const expected = Buffer.from(tag, "base64");
  const actual = await argon2id(
    password,
    Buffer.from(salt, "base64"),
    Number(memory),
    Number(passes),
    Number(parallelism),
    expected.length,
  );
  return timingSafeEqual(actual, expected);
}

function argon2id(message: string, nonce: Buffer, memory: number, passes: number, parallelism: number, tag: number) {
  return derive("argon2id", { message, nonce, memory, passes, parallelism, tagLength: tag });
}

function unpadded(bytes: Buffer): string {
  return bytes.toString("base64").replace(/=+$/, "");
}
