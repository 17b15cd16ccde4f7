import type { Caller } from "./caller.ts";
import type { AnyUseCase, UseCase } from "./use-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: any function, whatever its arguments and result
export type Declaration = (...args: any[]) => unknown;

/** A use case without its first argument. Routes look the bound function up by its `declaration`. */
export interface BoundUseCase<Args extends unknown[], Result> {
  (caller: Caller, ...args: Args): Promise<Result>;
  readonly declaration: AnyUseCase;
}

/** An internal function without a `Caller` (a job, a query of the broker), without its first argument. */
export interface BoundService<Args extends unknown[], Result> {
  (...args: Args): Result;
  readonly declaration: Declaration;
}

type BoundFunction<Declared> =
  // biome-ignore lint/suspicious/noExplicitAny: the dependencies are bound
  Declared extends UseCase<any, infer Args, infer Result>
    ? BoundUseCase<Args, Result>
    : // biome-ignore lint/suspicious/noExplicitAny: as above
      Declared extends (deps: any, ...args: infer Args) => infer Result
      ? BoundService<Args, Result>
      : never;

/** The facade of a feature: the functions of a table with their dependencies bound. */
export type Bound<Table> = { readonly [Name in keyof Table]: BoundFunction<Table[Name]> };

/** Requires that a function that takes a caller is a use case, which checks the caller's rights. */
type WithoutCaller<Declared> = Declared extends AnyUseCase
  ? Declared
  : // biome-ignore lint/suspicious/noExplicitAny: only the arguments after the dependencies matter
    Declared extends (deps: any, ...args: infer Args) => unknown
    ? [Extract<Args[number], Caller>] extends [never]
      ? Declared
      : never
    : never;

type Declarations<Deps> = Readonly<Record<string, (deps: Deps, ...args: never) => unknown>>;

/** Binds the use cases and services of `table` to their dependencies. */
export function bind<Deps, Table extends Declarations<Deps>>(
  deps: Deps,
  table: Table & { readonly [Name in keyof Table]: WithoutCaller<Table[Name]> },
): Bound<Table> {
  const bound = Object.entries(table).map(([name, declaration]) => {
    const call = declaration as Declaration;
    return [name, Object.assign((...args: unknown[]) => call(deps, ...args), { declaration })];
  });
  return Object.fromEntries(bound);
}

/** The bound functions by declaration. A route names its use case and calls the bound function. */
export type BoundFunctions = ReadonlyMap<Declaration, Declaration>;

/** Returns the bound functions of these facades by their declarations. */
export function boundFunctions(facades: readonly object[]): BoundFunctions {
  const functions = facades.flatMap((facade) => Object.values(facade)).filter(isBound);
  return new Map(functions.map((bound) => [bound.declaration, bound]));
}

function isBound(value: unknown): value is Declaration & { declaration: Declaration } {
  return typeof value === "function" && "declaration" in value;
}
