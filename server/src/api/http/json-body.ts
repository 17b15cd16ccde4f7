import { isUtf8 } from "node:buffer";
import { records } from "../../lib/limits/records.ts";
import { Refusal } from "../problem.ts";

/** More than any body of the API needs; it keeps recursion over a body shallow. */
const MAX_DEPTH = records.requestDepth.value;

/**
 * Parses a request's JSON body.
 *
 * @throws Refusal invalid_request for anything except well-formed JSON in UTF-8 that {@link checkValue} accepts
 */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw badBody("the body is not UTF-8");
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8"));
  } catch (error) {
    throw badBody(`the body is not JSON${placeOf(error as SyntaxError)}`);
  }
  checkValue(value);
  return value;
}

/**
 * Refuses values that JSON and URLs can carry but the code behind must not receive: NUL, lone surrogates, `__proto__`,
 * deep nesting.
 *
 * @param value parsed JSON, or the parameters of an address
 */
export function checkValue(value: unknown, depth = 0): void {
  if (typeof value === "string") checkText(value);
  if (typeof value !== "object" || value === null) return;
  if (depth === MAX_DEPTH) throw badBody(`the body is nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) {
    for (const item of value) checkValue(item, depth + 1);
    return;
  }
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw badBody("a field must not be called __proto__");
    checkText(key);
    checkValue((value as Record<string, unknown>)[key], depth + 1);
  }
}

function checkText(text: string): void {
  if (text.includes("\0")) throw badBody("text must not contain NUL");
  if (!text.isWellFormed()) throw badBody("text must not contain half of a surrogate pair");
}

/**
 * Returns the position at which parsing stopped, if the parser reports it. The rest of its message may quote the body,
 * which may contain secrets.
 */
function placeOf({ message }: SyntaxError): string {
  if (message === "Unexpected end of JSON input") return ": it ends too early";
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  return line === undefined ? "" : `: see line ${line}, column ${column}`;
}

function badBody(message: string): Refusal {
  return new Refusal("invalid_request", message, { middleware: "validation" });
}
