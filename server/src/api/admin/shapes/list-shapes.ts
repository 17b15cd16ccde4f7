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

/** An id, or `none` for the records without one. */
export const idOrNone = id
  .transform((text) => (text === "none" ? null : text))
  .optional()
  .meta({ description: "An id, or `none`" });
