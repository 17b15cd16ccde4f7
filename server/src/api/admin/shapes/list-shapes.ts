import { z } from "zod";
import { id } from "../../shapes.ts";

/** A parameter with one or more values, separated by commas, any of which may match. */
export function oneOf<T extends string>(value: z.ZodType<T, string>, description: string) {
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(value).min(1))
    .optional()
    .meta({ type: "string", description });
}

/** Ids, or `none` for the records without one, separated by commas, any of which may match. */
export function oneOfIds(description: string) {
  return z
    .string()
    .transform((text) => text.split(",").map((each) => (each === "none" ? null : each)))
    .pipe(z.array(id.nullable()).min(1).max(MOST_IDS))
    .optional()
    .meta({ type: "string", description: `${description}; at most ${MOST_IDS}, separated by commas` });
}

/** The number of ids of one filter. */
const MOST_IDS = 50;

/** An id, or `none` for the records without one. */
export const idOrNone = id
  .transform((text) => (text === "none" ? null : text))
  .optional()
  .meta({ description: "An id, or `none`" });

/** Leaves out `none` where every record has one. */
export function withoutNull(ids: readonly (string | null)[] | undefined): string[] | undefined {
  return ids?.filter((each) => each !== null);
}
