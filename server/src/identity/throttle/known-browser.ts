import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";

const TEXT = /^([\w-]{22})\.([\w-]{43})$/;

/** The holder of a browser: the user and, if they gave one there, the second factor. */
export interface BrowserHolder {
  userId: string;
  factorId: string | null;
}

/** Returns the text of a cookie that proves an earlier sign-in of this user in this browser (OWASP, device cookies). */
export function makeKnownBrowser(key: KeyObject, holder: BrowserHolder, ids: Ids): string {
  const id = ids.bytes(16).toString("base64url");
  return `${id}.${signature(key, holder, id).toString("base64url")}`;
}

/** Returns the id of the browser, if the text was made for this holder under one of the keys. */
export function knownBrowserId(
  keys: readonly KeyObject[],
  holder: BrowserHolder | undefined,
  text: string | undefined,
): string | undefined {
  const [, id, mac] = TEXT.exec(text ?? "") ?? [];
  if (holder === undefined || id === undefined || mac === undefined) return undefined;
  const given = Buffer.from(mac, "base64url");
  return keys.some((key) => timingSafeEqual(signature(key, holder, id), given)) ? id : undefined;
}

function signature(key: KeyObject, { userId, factorId }: BrowserHolder, id: string): Buffer {
  const signed = ["known-browser", userId, id, ...(factorId === null ? [] : [factorId])];
  return createHmac("sha256", key).update(JSON.stringify(signed)).digest();
}
