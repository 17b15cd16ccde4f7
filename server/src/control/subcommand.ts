import { z } from "zod";
import type { Caller } from "../access/access.ts";
import type { Facades } from "./facades.ts";

/** A command of the socket. */
export interface Subcommand {
  name: string;
  /** @throws {ZodError} if the body has another shape @throws {MusterError} if the command is refused */
  run(facades: Facades, body: unknown): Promise<object>;
}

/** Excludes NUL, which PostgreSQL cannot store and no terminal shows. */
export const text = z.string().refine((value) => !value.includes("\0"), "must not contain NUL");

/** The maximum number of rows in one page of a list. */
const MAX_ROWS = 1_000;

/** The page of a list that a command asks for. */
export const page = { skip: z.int().min(0), limit: z.int().min(1).max(MAX_ROWS) };

type Input<Shape extends z.ZodRawShape> = z.infer<z.ZodObject<Shape, z.core.$strict>>;

/**
 * Declares a command whose body is an object of exactly this shape. `run` returns a JSON object; `undefined` becomes
 * `{}`.
 */
export function subcommand<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (facades: Facades, input: Input<Shape>) => Promise<object | undefined>,
): Subcommand {
  const schema = z.strictObject(shape);
  return { name, run: async (facades, body) => (await run(facades, schema.parse(body))) ?? {} };
}

/**
 * Declares a command for the tenant whose slug is in the body's `tenant`. `run` gets the shell's caller in that tenant.
 */
export function tenantSubcommand<Shape extends z.ZodRawShape>(
  name: string,
  shape: Shape,
  run: (facades: Facades, caller: Caller, input: Input<Shape>) => Promise<object | undefined>,
): Subcommand {
  const inTenant: z.ZodRawShape = { ...shape, tenant: text };
  return subcommand(name, inTenant, async (facades, { tenant, ...input }) =>
    run(facades, await facades.access.systemCaller(tenant as string), input as Input<Shape>),
  );
}
