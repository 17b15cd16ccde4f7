import { z } from "zod";
import { id } from "../../shapes.ts";

/** Several values of one parameter, separated by commas: one of them suffices. */
export function oneOf<T extends string>(value: z.ZodType<T, string>, description: string) {
  return z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(value).min(1))
    .optional()
    .meta({ type: "string", description });
}

/** `none` stands for the records without one. */
export const idOrNone = id
  .transform((text) => (text === "none" ? null : text))
  .optional()
  .meta({ description: "An id, or `none`" });

/** The order of a list by one of these fields. */
export function sortBy<Order extends string>(orders: readonly Order[]) {
  return z
    .enum(orders.flatMap((by) => [by, `-${by}`] as const))
    .transform((text) => {
      const descending = text.startsWith("-");
      return { by: (descending ? text.slice(1) : text) as Order, descending };
    })
    .optional()
    .meta({
      description: "`-` before the field: descending. Records without the value come last. Absent: newest first",
    });
}
