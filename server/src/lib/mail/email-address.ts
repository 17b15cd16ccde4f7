import { domainToASCII } from "node:url";

/** RFC 5321 4.1.2, `Dot-string`: no quoted text, no comments, no leading, trailing or consecutive dots. */
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
/** RFC 1123 2.1: a host name without a final dot whose last label is not a number, so that it is not an IP address. */
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/**
 * The characters of an internationalized domain, with the dots of RFC 3490 3.1: at others `domainToASCII` would
 * truncate the text.
 */
const UNICODE_DOMAIN = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u;
/** The maximum length of a local part (RFC 5321 4.5.3.1.1). */
const MAX_LOCAL_PART = 64;
/** The maximum length of an address (RFC 5321 4.5.3.1.3, without the angle brackets). */
const MAX_ADDRESS = 254;
/** The domains of a mail service that ignores dots in the local part. */
const DOTS_IGNORED = new Set(["gmail.com", "googlemail.com"]);

/**
 * Validates one e-mail address of a user or of a notification channel.
 *
 * @returns the address in ASCII, safe in a header, with an internationalized domain in punycode; `undefined` for any
 *   other text. Results that differ only in case are the same address: compare them in lower case.
 */
export function parseEmailAddress(text: string): string | undefined {
  const at = text.lastIndexOf("@");
  const localPart = text.slice(0, Math.max(at, 0));
  const domain = parseDomain(text.slice(at + 1));
  if (domain === undefined || localPart.length > MAX_LOCAL_PART || !LOCAL_PART.test(localPart)) return undefined;
  const address = `${localPart}@${domain}`;
  return address.length <= MAX_ADDRESS ? address : undefined;
}

/** @returns the domain of an e-mail address in ASCII; `undefined` for any other text */
export function parseDomain(text: string): string | undefined {
  if (text.length > MAX_ADDRESS) return undefined;
  if (DOMAIN.test(text) && !/xn--/i.test(text)) return text;
  const ascii = UNICODE_DOMAIN.test(text) ? domainToASCII(text) : "";
  return DOMAIN.test(ascii) ? ascii : undefined;
}

/**
 * Returns the form in which an address is stored and looked up. Text that {@link parseEmailAddress} refuses is only
 * trimmed: no user has it.
 */
export function normalizeEmailAddress(text: string): string {
  const trimmed = text.trim();
  return parseEmailAddress(trimmed) ?? trimmed;
}

/**
 * Returns the key under which mails to one mailbox are counted: lower case, without a tag (`ada+news@…`), and without
 * dots if the mail service ignores them. Equal keys may belong to two users, so the key is not an identity.
 */
export function mailboxOf(text: string): string {
  const address = normalizeEmailAddress(text).toLowerCase();
  const at = address.lastIndexOf("@");
  const [localPart, domain] = [address.slice(0, Math.max(at, 0)), address.slice(at + 1)];
  const tag = localPart.indexOf("+");
  const name = tag > 0 ? localPart.slice(0, tag) : localPart;
  return DOTS_IGNORED.has(domain) ? `${name.replaceAll(".", "")}@gmail.com` : `${name}@${domain}`;
}
