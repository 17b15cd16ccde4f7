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

/** A user at a sign-in, with the second factors of which one was given in the browser; null for none. */
export interface PossibleHolder {
  userId: string;
  factorIds: readonly (string | null)[];
}

/** Returns the id of the browser, if the text was made for this user and one of the factors under one of the keys. */
export function knownBrowserId(
  keys: readonly KeyObject[],
  holder: PossibleHolder | undefined,
  text: string | undefined,
): string | undefined {
  const [, id, mac] = TEXT.exec(text ?? "") ?? [];
  if (holder === undefined || id === undefined || mac === undefined) return undefined;
  const { userId, factorIds } = holder;
  const given = Buffer.from(mac, "base64url");
  const isOf = (key: KeyObject, factorId: string | null) =>
    timingSafeEqual(signature(key, { userId, factorId }, id), given);
  return keys.some((key) => factorIds.some((factorId) => isOf(key, factorId))) ? id : undefined;
}

function signature(key: KeyObject, { userId, factorId }: BrowserHolder, id: string): Buffer {
  const signed = ["known-browser", userId, id, ...(factorId === null ? [] : [factorId])];
  return createHmac("sha256", key).update(JSON.stringify(signed)).digest();
}
