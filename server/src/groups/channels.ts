import { isUuid } from "../lib/ids.ts";
import { parseEmailAddress } from "../lib/mail/email-address.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { LIMITS } from "./limits.ts";

/** The kinds of channel. An integration is a configured chat or paging service (notifications/integrations/). */
export const CHANNEL_KINDS = ["email", "webhook", "integration"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

/** A notification channel: an e-mail address, an https address that receives a POST, or the id of an integration. */
export interface Channel {
  type: ChannelKind;
  target: string;
}

/**
 * Validates the channels and returns them as stored. Whether an address may be called (no private network, for example)
 * is checked at each call.
 *
 * @throws MusterError invalid_request with the invalid place in `detail`, as an address may contain a secret
 */
export function checkChannels(channels: readonly Channel[]): Channel[] {
  if (channels.length > LIMITS.channelsOfGroup)
    throw invalidRequest(`a group has at most ${LIMITS.channelsOfGroup} channels`, "channels");
  const seen = new Set<string>();
  return channels.map((channel, index) => {
    const where = `channels.${index}`;
    const { type, target } = checkChannel(channel, `${where}.target`);
    if (seen.has(`${type} ${target}`)) throw invalidRequest(`${where} repeats an earlier channel`, where);
    seen.add(`${type} ${target}`);
    return { type, target };
  });
}

/**
 * Validates the channel and returns it as stored.
 *
 * @param where the place of its address, named in the message instead of the address, which may contain a secret
 * @throws MusterError invalid_request with `where` in `detail`
 */
export function checkChannel({ type, target }: Channel, where: string): Channel {
  if (type === "webhook") {
    const wrong = wrongWebhook(target);
    if (wrong !== undefined) throw invalidRequest(`${where} ${wrong}`, where);
    return { type, target };
  }
  if (type === "integration") {
    if (!isUuid(target)) throw invalidRequest(`${where} must be the id of an integration`, where);
    return { type, target: target.toLowerCase() };
  }
  const address = parseEmailAddress(target);
  if (address === undefined) throw invalidRequest(`${where} must be one e-mail address`, where);
  return { type, target: address };
}

/** @throws MusterError invalid_request with `url` in `detail` */
export function requireWebhook(url: string): void {
  const wrong = wrongWebhook(url);
  if (wrong !== undefined) throw invalidRequest(`url ${wrong}`, "url");
}

function wrongWebhook(target: string): string | undefined {
  if (target.length > LIMITS.targetCharacters) return `must be at most ${LIMITS.targetCharacters} characters`;
  // The URL parser would repair these characters, but the stored address must be exactly the one called.
  if (/[\s\\\p{Cc}]/u.test(target) || !target.isWellFormed()) return "must not contain blanks or backslashes";
  const url = URL.parse(target);
  if (url?.protocol !== "https:" || !/^https:\/\/[^/]/i.test(target)) return "must be an https address";
  if (/^[^/]*\/\/[^/?#]*@/.test(target)) return "must not contain a user name or password";
  if (target.includes("#")) return "must not have a fragment, which is never sent";
  return undefined;
}
