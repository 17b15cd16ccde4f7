import { z } from "zod";
import { records } from "../lib/limits/records.ts";

/** Shapes that several routes share; `meta` contains their OpenAPI description. */

/** Beyond any list, and within the range of the database's integers. */
const MOST_SKIP = 1_000_000_000;

/** The `skip` of each list whose use case takes a walk, so that it can offer a cursor. */
export const walked = new WeakSet<z.ZodType>();

/** Returns the {@link offsetPaging} of a list whose use case takes a walk, so that programs can follow a cursor too. */
export function paging(usual: number, most: number) {
  const parameters = offsetPaging(usual, most);
  walked.add(parameters.skip);
  return parameters;
}

/**
 * Returns `skip` and `limit` of a list: integers out of range are clamped, and the answer echoes the values used;
 * anything that is not an integer is refused (docs/api-conventions.md, Lists).
 */
export function offsetPaging(usual: number, most: number) {
  return {
    skip: clamped(0, MOST_SKIP, 0, "Items to skip at the front. A negative value counts as 0."),
    limit: clamped(1, most, usual, `Maximum number of items on the page. Clamped to 1 to ${most}.`),
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

/** Returns `skip` and `limit` of a list beyond the specification: integers out of range are refused. */
export function strictPaging(usual: number, most: number) {
  return { skip: between(0, MOST_SKIP, 0, "Items to skip at the front"), limit: strictLimit(usual, most) };
}

/** Returns the `limit` of a list that continues by a cursor. */
export function strictLimit(usual: number, most: number) {
  return between(1, most, usual, "Maximum number of items on the page");
}

function between(least: number, most: number, usual: number, description: string) {
  return z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .optional()
    .transform((text) => (text === undefined ? usual : Number(text)))
    .pipe(z.int().min(least).max(most))
    .meta({ type: "integer", minimum: least, maximum: most, default: usual, description });
}

/** The cursor of a list in a query, and the cursor of the next part in its answer. */
export const cursor = z.string().min(1).max(400).meta({ description: "The `next` of the previous page" });
export const next = z.string().optional().meta({ description: "The cursor of the next page; absent at the end" });

/**
 * Matches text that is not blank and has no control characters (Unicode's Cc), in a form that every dialect of regular
 * expressions understands.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it refuses
const ONE_LINE = /^(?=.*\S)[^\u0000-\u001f\u007f-\u009f]*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const NO_CONTROL = /^[^\u0000-\u001f\u007f-\u009f]*$/;

/** A name chosen by a program. */
export const plainName = z.string().min(1).max(128).regex(NO_CONTROL, "must not contain control characters");

/** Returns the shape of a name that a person typed: one line, not blank. */
export function label(max = records.nameCharacters.value) {
  return z.string().trim().min(1).max(max).regex(ONE_LINE, "must not contain control characters");
}

/** The name that a program gives to a record that it manages. */
export const externalId = label(records.externalIdCharacters.value)
  .nullable()
  .meta({ description: "A name for programs that manage the record, unique per tenant and kind; `null` for none" });

/** An id in a path or a body. The use case checks whether it exists. */
export const id = z.string().min(1).max(128);

export const timestamp = z.iso.datetime();
export const nullableTimestamp = timestamp.nullable();

/** An instant in a query, in UTC or with an offset; fractions of a millisecond round up. */
export const instant = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(Date.parse(text) + (/\.\d{3}\d*[1-9]/.test(text) ? 1 : 0)));

/**
 * Returns the shape of a list order by one of these fields.
 *
 * @param id the name of its type in generated clients; the public API needs one
 */
export function sortBy<Order extends string>(orders: readonly Order[], id?: string) {
  const choices = z.enum(orders.flatMap((by) => [by, `-${by}`] as const));
  return (id === undefined ? choices : choices.meta({ id }))
    .transform((text) => {
      const descending = text.startsWith("-");
      return { by: (descending ? text.slice(1) : text) as Order, descending };
    })
    .optional()
    .meta({
      description:
        "A `-` before the field means descending. Records without the value come last. Newest first by default",
    });
}

/** An id in a path, as any text: text that cannot be an id is answered with 404, like an unknown id. */
export const pathId = z.string();
export const idParams = z.strictObject({ id: pathId.meta({ description: "The record's id" }) });

/** Returns the envelope of every list (spec 4.5). */
export function page<T extends z.ZodType>(item: T) {
  const shape = z.strictObject({
    items: z.array(item),
    total: z.int().min(0).meta({ description: "The number of matching records, on all pages" }),
    skip: z.int().min(0).meta({ description: "The value used" }),
    limit: z.int().min(1).meta({ description: "The value used" }),
  });
  const { id: ofItem } = z.globalRegistry.get(item) ?? {};
  return ofItem ? shape.meta({ id: `${ofItem}Page` }) : shape;
}

/** Returns the envelope of a list that is not counted to its end if that takes long. */
export function longPage<T extends z.ZodType>(item: T) {
  const totalIsAtLeast = z
    .boolean()
    .optional()
    .meta({
      description: `There may be more: beyond the page, only ${records.countedAhead.value} matches were counted`,
    });
  const shape = page(item).extend({ totalIsAtLeast });
  const { id: ofItem } = z.globalRegistry.get(item) ?? {};
  return ofItem ? shape.meta({ id: `${ofItem}Page` }) : shape;
}

/** The body of every error (spec 7). */
export const errorBody = z.looseObject({
  error: z.string().meta({ description: "The code to program against" }),
  middleware: z
    .enum(["router", "authentication", "authorization", "rate-limit", "validation", "handler"])
    .meta({ id: "ErrorMiddleware", description: "The layer that refused the request" }),
  message: z.string().meta({ description: "A sentence for people; may change" }),
  requestId: z.string().meta({ description: "Also the X-Request-Id header" }),
  detail: z.string().optional().meta({ description: "The offending value or field, if there is one" }),
  details: z
    .array(
      z
        .strictObject({
          in: z.enum(["path", "query", "body"]).meta({ id: "ProblemPlace" }),
          pointer: z.string().meta({ description: "The field, as a JSON Pointer (RFC 6901)" }),
          message: z.string().meta({ description: "A predicate about the field; may change" }),
        })
        .meta({ id: "Problem" }),
    )
    .optional()
    .meta({ description: `Every problem that validation found, at most ${records.problemsOfRequest.value}` }),
});
