import { adviceFor } from "../advice.ts";
import { asAgentError } from "../errors.ts";

/** Prints the result of a command: lines of text, or one JSON object. */
export function printResult(json: boolean, object: Record<string, unknown>, lines: string[]): void {
  console.log(json ? JSON.stringify(object) : lines.join("\n"));
}

/** Reports the error and its remedy: two lines on stderr, or one JSON object on stdout. */
export function reportFailure(thrown: unknown, json: boolean): void {
  const error = asAgentError(thrown);
  const advice = adviceFor(error);
  const { code, message, detail, status, requestId } = error;
  if (json) {
    console.log(JSON.stringify({ error: code, message, detail, status, requestId, advice }));
    return;
  }
  const reference = requestId === undefined ? "" : ` (request ${requestId})`;
  console.error(`${code}: ${message}${detail === undefined ? "" : ` [${detail}]`}${reference}`);
  if (advice !== undefined) console.error(advice);
}

/** Returns a duration in its largest unit: "9 days", "3 hours", "less than a minute". */
export function inWords(ms: number): string {
  const units: Array<[string, number]> = [
    ["day", 86_400_000],
    ["hour", 3_600_000],
    ["minute", 60_000],
  ];
  for (const [name, length] of units) {
    const count = Math.floor(Math.abs(ms) / length);
    if (count >= 1) return `${count} ${name}${count === 1 ? "" : "s"}`;
  }
  return "less than a minute";
}
