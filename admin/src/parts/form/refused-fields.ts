import { t } from "#texts/parts.ts";
import { Problem } from "../../api/problem.ts";
import { sentence } from "../../texts/sentence.ts";

type Errors = Record<string, string>;

/**
 * Returns the errors of the fields of a form that a refusal names: all those of `details`, by JSON Pointer (RFC 6901),
 * or the one of `detail`. Undefined if some problem concerns no field of the form.
 */
export function refusedFields(reason: unknown, values: object): Errors | undefined {
  if (!(reason instanceof Problem)) return undefined;
  const { detail, details = [] } = reason.body;
  const inBody = details.filter((each) => each.in === "body");
  if (inBody.length > 0 && inBody.length === details.length) {
    const errors = inBody.map(({ pointer, message }) => [
      fieldAt(pathOf(pointer), values),
      sentence(t.itIsRefused(message)),
    ]);
    return errors.every(([field]) => field !== undefined) ? Object.fromEntries(errors.toReversed()) : undefined;
  }
  const named = /^(?:body\.)?(\w+(?:\.\w+)*)/.exec(detail ?? "")?.[1]?.split(".") ?? [];
  const field = fieldAt(named, values);
  return field === undefined ? undefined : { [field]: sentence(withoutField(reason.message, field)) };
}

/** Returns the parts of a JSON Pointer. */
function pathOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Returns the field of the form that a path leads to, or into. */
function fieldAt(path: readonly string[], values: object): string | undefined {
  const known: string[] = [];
  let value: unknown = values;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !(part in value)) break;
    value = (value as Record<string, unknown>)[part];
    known.push(part);
  }
  return known.length > 0 ? known.join(".") : undefined;
}

/** Replaces the name of the field in the API, with which a message may begin: the error stands at the field. */
function withoutField(message: string, field: string): string {
  const [first = "", ...rest] = message.split(" ");
  const isPath =
    first
      .toLowerCase()
      .replace(/[:,]$/, "")
      .replace(/^body\./, "") === field.toLowerCase();
  return isPath && rest.length > 0 ? t.itIsRefused(rest.join(" ")) : message;
}
