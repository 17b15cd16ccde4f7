import { records } from "./limits/records.ts";
import { invalidRequest } from "./request-errors.ts";

const CONTROL = /\p{Cc}/u;

/**
 * Validates one line of text that a person typed, and returns it trimmed.
 *
 * @param field the name of the field, for the message
 * @throws MusterError invalid_request if it is empty, longer than `max` characters, or contains control characters or
 *   lone surrogates, which PostgreSQL cannot store or a screen cannot show
 */
export function plainLine(field: string, value: string, max = records.nameCharacters.value): string {
  const text = value.trim();
  if (text.length === 0 || text.length > max) throw invalidRequest(`${field} must be 1 to ${max} characters`);
  if (CONTROL.test(text) || !text.isWellFormed()) throw invalidRequest(`${field} must not contain control characters`);
  return text;
}

/**
 * Validates text of several lines, and returns it unchanged.
 *
 * @throws MusterError invalid_request if it is longer than `max` characters, or contains lone surrogates or control
 *   characters other than line breaks and tabs
 */
export function plainText(field: string, value: string, max = records.descriptionCharacters.value): string {
  if (value.length > max) throw invalidRequest(`${field} must be at most ${max} characters`);
  if (CONTROL.test(value.replace(/[\n\r\t]/g, "")) || !value.isWellFormed())
    throw invalidRequest(`${field} must not contain control characters`);
  return value;
}

/**
 * Validates the name that a program gives to a record that it manages: one line of at most 128 characters, unique per
 * tenant and kind of record. `null` removes it.
 *
 * @throws MusterError invalid_request
 */
export function checkExternalId(value: string | null): string | null {
  return value === null ? null : plainLine("externalId", value, records.externalIdCharacters.value);
}
