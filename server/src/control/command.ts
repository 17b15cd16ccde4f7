import { z } from "zod";
import type { Facades } from "./facades.ts";

/** A command as the socket takes it: its name, the shape of its body, what it does. */
export interface Command {
  name: string;
  /** @throws ZodError when the body has another shape; MusterError when it is refused */
  run(facades: Facades, body: unknown): Promise<object>;
}

/** No column and no screen can hold a NUL. */
export const text = z.string().refine((value) => !value.includes("\0"), "must not contain NUL");

/** A command whose body is an object of exactly this shape. */
export function command<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (facades: Facades, input: z.infer<z.ZodObject<Shape, z.core.$strict>>) => Promise<object | undefined>,
): Command {
  const schema = z.strictObject(shape);
  return { name, run: async (facades, body) => (await run(facades, schema.parse(body))) ?? {} };
}
