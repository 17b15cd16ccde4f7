import { invalidRequest } from "../lib/request-errors.ts";
import { LIMITS } from "./limits.ts";

/** Where a group is notified: an email address, or an https address that receives a POST. */
export interface Channel {
  type: "email" | "webhook";
  target: string;
}

/** A valid e-mail address as HTML has it (WHATWG HTML 4.10.5.1.5): one mailbox, safe in a header. */
const EMAIL =
  /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;
/** RFC 5321 4.5.3.1.3, less the angle brackets. */
const MAX_EMAIL = 254;

/**
 * The channels as stored. Whether an address may be called (private networks and the like) is checked at each call.
 *
 * @throws MusterError invalid_request with the place of the bad one in `detail`: an address may hold a secret
 */
export function checkChannels(channels: readonly Channel[]): Channel[] {
  if (channels.length > LIMITS.channelsOfGroup)
    throw invalidRequest(`a group has at most ${LIMITS.channelsOfGroup} channels`, "channels");
  const seen = new Set<string>();
  return channels.map(({ type, target }, index) => {
    const where = `channels.${index}`;
    const wrong = wrongTarget({ type, target });
    if (wrong !== undefined) throw invalidRequest(`${where}.target ${wrong}`, `${where}.target`);
    if (seen.has(`${type} ${target}`)) throw invalidRequest(`${where} repeats a channel before it`, where);
    seen.add(`${type} ${target}`);
    return { type, target };
  });
}

/** What is wrong with the address of a channel, without repeating it: it may hold a secret. */
export function wrongTarget({ type, target }: Channel): string | undefined {
  return type === "email" ? wrongEmail(target) : wrongWebhook(target);
}

/** @throws MusterError invalid_request with `url` in `detail` */
export function requireWebhook(url: string): void {
  const wrong = wrongWebhook(url);
  if (wrong !== undefined) throw invalidRequest(`url ${wrong}`, "url");
}

function wrongEmail(target: string): string | undefined {
  return target.length <= MAX_EMAIL && EMAIL.test(target) ? undefined : "must be one email address";
}

function wrongWebhook(target: string): string | undefined {
  if (target.length > LIMITS.targetCharacters) return `must be at most ${LIMITS.targetCharacters} characters`;
  // The parser would repair these: the stored address must be the address that is called.
  if (/[\s\\\p{Cc}]/u.test(target) || !target.isWellFormed()) return "must not contain blanks or backslashes";
  const url = URL.parse(target);
  if (url?.protocol !== "https:" || !/^https:\/\/[^/]/i.test(target)) return "must be an https address";
  if (/^[^/]*\/\/[^/?#]*@/.test(target)) return "must not contain a user name or password";
  if (target.includes("#")) return "must not have a fragment, which is never sent";
  return undefined;
}
