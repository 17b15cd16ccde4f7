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

/** Returns the shape of a list order by one of these fields. */
export function sortBy<Order extends string>(orders: readonly Order[]) {
  return z
    .enum(orders.flatMap((by) => [by, `-${by}`] as const))
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
