import { records } from "./limits/records.ts";
import { invalidRequest } from "./request-errors.ts";

const CONTROL = /\p{Cc}/u;

/**
 * One line of text that a person typed, trimmed.
 *
 * @param field the name of the field, for the message
 * @throws MusterError invalid_request when it is empty, longer than `max` characters, or contains control characters or lone
 *   surrogates, which PostgreSQL cannot store or a screen cannot show
 */
export function plainLine(field: string, value: string, max = records.nameCharacters.value): string {
  const text = value.trim();
  if (text.length === 0 || text.length > max) throw invalidRequest(`${field} must be 1 to ${max} characters`);
  if (CONTROL.test(text) || !text.isWellFormed()) throw invalidRequest(`${field} must not hold control characters`);
  return text;
}

/**
 * Text of several lines, unchanged.
 *
 * @throws MusterError invalid_request when it is longer than `max` characters, or contains lone surrogates or control characters
 *   other than line breaks and tabs
 */
export function plainText(field: string, value: string, max = records.descriptionCharacters.value): string {
  if (value.length > max) throw invalidRequest(`${field} must be at most ${max} characters`);
  if (CONTROL.test(value.replace(/[\n\r\t]/g, "")) || !value.isWellFormed())
    throw invalidRequest(`${field} must not hold control characters`);
  return value;
}
