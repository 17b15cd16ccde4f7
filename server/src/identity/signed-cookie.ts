import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/** The content of a signed cookie, with the key that signed it. */
export interface OpenedCookie {
  key: KeyObject;
  /** The signed text that carries `stored`. */
  payload: string;
  // biome-ignore lint/suspicious/noExplicitAny: the signature proves that this service wrote it
  stored: any;
}

const TEXT = /^([\w-]{1,1500})\.([\w-]{43})$/;

/** Returns the text of a cookie that only this service can make; the browser can read it. */
export function signCookie(key: KeyObject, stored: object): { payload: string; cookie: string } {
  const payload = Buffer.from(JSON.stringify(stored)).toString("base64url");
  return { payload, cookie: `${payload}.${mac(key, "cookie", payload)}` };
}

/** Returns what a cookie holds if one of the keys signed it. */
export function openCookie(keys: readonly KeyObject[], cookie: string | undefined): OpenedCookie | undefined {
  const [, payload, given] = TEXT.exec(cookie ?? "") ?? [];
  if (payload === undefined || given === undefined) return undefined;
  const key = keys.find((each) => isSame(mac(each, "cookie", payload), given));
  return key && { key, payload, stored: JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) };
}

/** Returns the HMAC-SHA256 of a text for one use, as base64url. */
export function mac(key: KeyObject, use: string, text: string): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([use, text]))
    .digest("base64url");
}

/** Compares two texts in a time that does not depend on their content. */
export function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
