import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import { plainLine, plainText } from "../lib/text.ts";

/** The maximum number of characters in each text. */
export const LENGTHS = {
  title: records.ticketTitleCharacters.value,
  description: records.ticketTextCharacters.value,
  resolution: records.ticketTextCharacters.value,
  comment: records.ticketTextCharacters.value,
} as const;

const EARLIEST = Date.UTC(1970, 0, 1);
const END = Date.UTC(10_000, 0, 1);

export function checkedTitle(title: string): string {
  return plainLine("title", title, LENGTHS.title);
}

export function checkedText(field: "description" | "resolution" | "comment", text: string): string {
  return plainText(field, text, LENGTHS[field]);
}

/** @throws MusterError invalid_request for a time outside the years 1970 to 9999 */
export function checkedDueAt(at: Date): Date {
  const ms = at.getTime();
  if (!(ms >= EARLIEST && ms < END)) throw invalidRequest("dueAt must be in the years 1970 to 9999", "dueAt");
  return at;
}
