import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Ids } from "../../lib/ids.ts";

const TEXT = /^([\w-]{22})\.([\w-]{43})$/;

/** The text of a cookie by which a browser shows that this user signed in there before (OWASP, device cookies). */
export function makeKnownBrowser(key: KeyObject, userId: string, ids: Ids): string {
  const id = ids.bytes(16).toString("base64url");
  return `${id}.${signature(key, userId, id).toString("base64url")}`;
}

/** The id of the browser, if the text was made for this user under one of the keys. */
export function knownBrowserId(
  keys: readonly KeyObject[],
  userId: string | undefined,
  text: string | undefined,
): string | undefined {
  const [, id, mac] = TEXT.exec(text ?? "") ?? [];
  if (userId === undefined || id === undefined || mac === undefined) return undefined;
  const given = Buffer.from(mac, "base64url");
  return keys.some((key) => timingSafeEqual(signature(key, userId, id), given)) ? id : undefined;
}

function signature(key: KeyObject, userId: string, id: string): Buffer {
  return createHmac("sha256", key)
    .update(JSON.stringify(["known-browser", userId, id]))
    .digest();
}
