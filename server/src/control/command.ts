import { z } from "zod";
import type { Caller } from "../access/access.ts";
import type { Facades } from "./facades.ts";

/** A command of the socket. */
export interface Command {
  name: string;
  /** @throws ZodError when the body has another shape; MusterError when it is refused */
  run(facades: Facades, body: unknown): Promise<object>;
}

/** PostgreSQL cannot store a NUL, and no terminal shows one. */
export const text = z.string().refine((value) => !value.includes("\0"), "must not contain NUL");

/** The most rows in one page of a list. */
const MAX_ROWS = 1_000;

/** Which page of a list a command asks for. */
export const page = { skip: z.int().min(0), limit: z.int().min(1).max(MAX_ROWS) };

type Input<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape, z.core.$strict>>;

/** Declares a command whose body is an object of exactly this shape. `run` answers with a JSON object; nothing is `{}`. */
export function command<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (facades: Facades, input: Input<Shape>) => Promise<object | undefined>,
): Command {
  const schema = z.strictObject(shape);
  return { name, run: async (facades, body) => (await run(facades, schema.parse(body))) ?? {} };
}

/** Declares a command on the tenant whose slug is in the body's `tenant`. `run` gets the shell's caller in that tenant. */
export function tenantCommand<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (facades: Facades, caller: Caller, input: Input<Shape>) => Promise<object | undefined>,
): Command {
  const inTenant: z.ZodRawShape = { ...shape, tenant: text };
  return command(name, inTenant, async (facades, { tenant, ...input }) =>
    run(facades, await facades.access.systemCaller(tenant as string), input as Input<Shape>),
  );
}
