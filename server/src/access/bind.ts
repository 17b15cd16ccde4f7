import type { Caller } from "./caller.ts";
import type { AnyUseCase, UseCase } from "./use-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: stands for a function whatever it takes and answers
export type Declaration = (...args: any[]) => unknown;

/** A use case without its first argument. `declaration` is what it was bound from: routes find the bound function by it. */
export interface BoundUseCase<Args extends unknown[], Result> {
  (caller: Caller, ...args: Args): Promise<Result>;
  readonly declaration: AnyUseCase;
}

/** A function that no caller asks for (a job, a question of the broker) without its first argument. */
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

/** The functions of a table with their dependencies bound: the facade of a feature. */
export type Bound<Table> = { readonly [Name in keyof Table]: BoundFunction<Table[Name]> };

/** A function that takes a caller must be a use case, which checks what the caller may do. */
type WithoutCaller<Declared> = Declared extends AnyUseCase
  ? Declared
  : // biome-ignore lint/suspicious/noExplicitAny: only the arguments after the dependencies matter
    Declared extends (deps: any, ...args: infer Args) => unknown
    ? [Extract<Args[number], Caller>] extends [never]
      ? Declared
      : never
    : never;

type Declarations<Deps> = Readonly<Record<string, (deps: Deps, ...args: never) => unknown>>;

/** Binds the use cases and services of `table` to what they work with. */
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

/** Finds the bound function of a declaration: what a route, which names its use case, calls. */
export type BoundFunctions = ReadonlyMap<Declaration, Declaration>;

/** The bound functions of these facades by what they were bound from. */
export function boundFunctions(facades: readonly object[]): BoundFunctions {
  const functions = facades.flatMap((facade) => Object.values(facade)).filter(isBound);
  return new Map(functions.map((bound) => [bound.declaration, bound]));
}

function isBound(value: unknown): value is Declaration & { declaration: Declaration } {
  return typeof value === "function" && "declaration" in value;
}
