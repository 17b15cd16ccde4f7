import { argon2, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";
import type { Ids } from "../lib/ids.ts";
import { base62 } from "./keys/base62.ts";

/** Argon2id, 19 MiB, two passes: OWASP's password storage minimum; about 40 ms on one core. */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARALLELISM = 1;
const TAG_LENGTH = 32;
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

const derive = promisify(argon2);

/** A random password with 128 bits, 22 letters and digits; shown once. */
export function makePassword(ids: Ids): string {
  return base62(ids.bytes(16), 22);
}

/** Argon2id in the PHC string format, with a salt of its own. */
export async function hashPassword(password: string, ids: Ids): Promise<string> {
  const salt = ids.bytes(16);
  const tag = await argon2id(password, salt, MEMORY_KIB, PASSES, PARALLELISM, TAG_LENGTH);
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${PARALLELISM}$${unpadded(salt)}$${unpadded(tag)}`;
}

/** Whether `password` is the one `stored` was made from; `false` for a stored value of any other form. */
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
