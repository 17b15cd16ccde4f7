import { invalidRequest } from "./request-errors.ts";

const CONTROL = /\p{Cc}/u;

/**
 * A line of text as a person typed it, without blanks around it.
 *
 * @param field its name, for the message
 * @throws MusterError invalid_request when it is empty, longer than `max` characters, or holds what no database or
 *   screen can show (control characters, lone surrogates)
 */
export function plainLine(field: string, value: string, max = 120): string {
  const text = value.trim();
  if (text.length === 0 || text.length > max) throw invalidRequest(`${field} must be 1 to ${max} characters`);
  if (CONTROL.test(text) || !text.isWellFormed()) throw invalidRequest(`${field} must not hold control characters`);
  return text;
}

/**
 * Text of several lines, kept as it is.
 *
 * @throws MusterError invalid_request when it is longer than `max` characters or holds control characters other than
 *   line breaks and tabs, or lone surrogates
 */
export function plainText(field: string, value: string, max = 2000): string {
  if (value.length > max) throw invalidRequest(`${field} must be at most ${max} characters`);
  if (CONTROL.test(value.replace(/[\n\r\t]/g, "")) || !value.isWellFormed())
    throw invalidRequest(`${field} must not hold control characters`);
  return value;
}
