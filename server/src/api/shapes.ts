import { z } from "zod";
import { records } from "../lib/limits/records.ts";

/** Shapes that several routes share; `meta` holds what OpenAPI shows of them. */

/** Beyond any list, and within the range of the database's integers. */
const MOST_SKIP = 1_000_000_000;

/**
 * `skip` and `limit` of a list: integers out of range are clamped, and the answer echoes what was used; anything that is
 * not an integer is refused (docs/api-conventions.md, Lists).
 */
export function paging(usual: number, most: number) {
  return {
    skip: clamped(0, MOST_SKIP, 0, "Items to leave out at the front. Below 0 counts as 0."),
    limit: clamped(1, most, usual, `Most items of the page. Clamped to 1 to ${most}.`),
  };
}

function clamped(least: number, most: number, usual: number, description: string) {
  return z
    .string()
    .regex(/^[+-]?\d{1,400}$/, "must be an integer")
    .optional()
    .transform((text) => (text === undefined ? usual : Math.min(most, Math.max(least, Number(text)))))
    .meta({ type: "integer", default: usual, description });
}

/** Not blank and without control characters (Unicode's Cc), in a form that every dialect of regular expressions understands. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const ONE_LINE = /^(?=.*\S)[^\u0000-\u001f\u007f-\u009f]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** A name that a program chose. */
export const plainName = z.string().min(1).max(128).regex(NO_CONTROL, "must not contain control characters");

/** A name that a person typed: one line, not blank. */
export function label(max = records.nameCharacters.value) {
  return z.string().trim().min(1).max(max).regex(ONE_LINE, "must not contain control characters");
}

/** An id in a path or a body. The use case checks whether it exists. */
export const id = z.string().min(1).max(128);

export const timestamp = z.iso.datetime();
export const nullableTimestamp = timestamp.nullable();

/** An instant in a query, in UTC or with an offset; fractions of a millisecond round up. */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(Date.parse(text) + (/\.\d{3}\d*[1-9]/.test(text) ? 1 : 0)));

/** Any text: what cannot be an id is answered with 404, like an unknown id. */
export const pathId = z.string();
export const idParams = z.strictObject({ id: pathId.meta({ description: "The record's id" }) });

/** The envelope of every list (spec 4.5). */
export function page<T extends z.ZodType>(item: T) {
  const shape = z.strictObject({
    items: z.array(item),
    total: z.int().min(0).meta({ description: "How many records match, on all pages" }),
    skip: z.int().min(0).meta({ description: "The value used" }),
    limit: z.int().min(1).meta({ description: "The value used" }),
  });
  const { id: ofItem } = z.globalRegistry.get(item) ?? {};
  return ofItem ? shape.meta({ id: `${ofItem}Page` }) : shape;
}

/** The same of a list that is not counted to its end where that takes long. */
export function longPage<T extends z.ZodType>(item: T) {
  const totalIsAtLeast = z
    .boolean()
    .optional()
    .meta({ description: `There may be more: of what follows the page, ${records.countedAhead.value} were counted` });
  const shape = page(item).extend({ totalIsAtLeast });
  const { id: ofItem } = z.globalRegistry.get(item) ?? {};
  return ofItem ? shape.meta({ id: `${ofItem}Page` }) : shape;
}

/** The body of every error (spec 7). */
export const errorBody = z.looseObject({
  error: z.string().meta({ description: "The code to program against" }),
  middleware: z
    .enum(["router", "authentication", "authorization", "rate-limit", "validation", "handler"])
    .meta({ description: "The layer that refused" }),
  message: z.string().meta({ description: "A sentence for people; may change" }),
  requestId: z.string().meta({ description: "Also the X-Request-Id header" }),
  detail: z.string().optional().meta({ description: "The offending value or field, where there is one" }),
});
