import type { Reading } from "../reading.ts";
import type { FieldProblem, Rejection, RejectionCause } from "./rejection.ts";

/** The number of fields at fault that are recorded per message; others are only counted. */
export const MAX_RECORDED = 20;
/** The number of fields at fault after which the rest of a message is not read: wording them would take too long. */
const MAX_COUNTED = 1_000;
const MAX_PATH_CHARACTERS = 256;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

/** Collects the fields of a message that are not stored: the first ones, and the number of all. */
export class Problems {
  readonly recorded: FieldProblem[] = [];
  count = 0;

  /** @param path the reference tokens of a JSON Pointer, unescaped, or a finished path */
  add(path: readonly (string | number)[] | string, reason: string): void {
    this.count++;
    if (this.recorded.length === MAX_RECORDED) return;
    this.recorded.push({ path: typeof path === "string" ? path : jsonPointer(path), reason });
  }

  /** Whether there are so many that the whole message is rejected. */
  get areTooMany(): boolean {
    return this.count >= MAX_COUNTED;
  }

  /** Returns the rejection that reports these fields. Must not be called without any. */
  rejection(cause: RejectionCause = "invalid_payload"): Rejection {
    return rejectionOf(cause, this.recorded, this.count);
  }
}

/** The values read from a message so far. */
export interface Into {
  readings: Reading[];
  problems: Problems;
}

/** Returns the rejection that reports `count` fields, the first of which are `problems`. */
export function rejectionOf(cause: RejectionCause, problems: readonly FieldProblem[], count: number): Rejection {
  const others = count > 1 ? ` (and ${count - 1} more)` : "";
  return { cause, reason: problems[0]!.reason + others, problems, problemCount: count };
}

/** Returns what two rejections of one message report together. Both have problems. */
export function joined(first: Rejection | undefined, second: Rejection): Rejection {
  if (first === undefined) return second;
  const problems = [...(first.problems ?? []), ...(second.problems ?? [])].slice(0, MAX_RECORDED);
  return rejectionOf(second.cause, problems, (first.problemCount ?? 0) + (second.problemCount ?? 0));
}

/** Returns a JSON Pointer (RFC 6901) that can be stored and shown: cut, without control characters. */
export function jsonPointer(tokens: readonly (string | number)[]): string {
  const whole = tokens.map((token) => `/${escapedToken(token)}`).join("");
  const path = whole.length > MAX_PATH_CHARACTERS ? `${whole.slice(0, MAX_PATH_CHARACTERS)}…` : whole;
  return path.toWellFormed().replace(CONTROL, "\u{fffd}");
}

/** Escapes a reference token (RFC 6901, 3). Only the start of a long one is needed. */
function escapedToken(token: string | number): string {
  if (typeof token === "number") return String(token);
  return token
    .slice(0, MAX_PATH_CHARACTERS + 1)
    .replaceAll("~", "~0")
    .replaceAll("/", "~1");
}
