import assert from "node:assert/strict";
import { test } from "node:test";
import { type Bound, bind, boundFunctions } from "./bind.ts";
import type { Caller } from "./caller.ts";
import { useCase } from "./use-case.ts";

interface Deps {
  greeting: string;
}

const greet = useCase({ role: "viewer" }, async (deps: Deps, caller, name: string, mark = "!"): Promise<string> => {
  return `${deps.greeting} ${name} of ${caller.tenantSlug}${mark}`;
});
const lengthOf = ({ greeting }: Deps, times: number): number => greeting.length * times;
const table = { greet, lengthOf };

const viewer: Caller = {
  tenantId: "1",
  tenantSlug: "acme",
  actor: "user:1",
  rights: { kind: "user", userId: "1", role: "viewer" },
};

test("a facade exposes its table's functions without their first argument", async () => {
  const facade: Bound<typeof table> = bind({ greeting: "Hello" }, table);
  const greeting: string = await facade.greet(viewer, "Ada");
  assert.equal(greeting, "Hello Ada of acme!");
  assert.equal(await facade.greet(viewer, "Ada", "?"), "Hello Ada of acme?");
  const length: number = facade.lengthOf(2);
  assert.equal(length, 10);
});

test("a bound function is found by its declaration, separately in each application", async () => {
  const [one, other] = ["Hello", "Goodbye"].map((greeting) =>
    boundFunctions([{ close: () => 1 }, bind({ greeting }, table)]),
  );
  assert.equal(await one!.get(greet)!(viewer, "Ada"), "Hello Ada of acme!");
  assert.equal(other!.get(lengthOf)!(1), 7);
  assert.equal(one!.size, 2);
});

test("bound functions keep their types, and only a use case may take a caller", () => {
  const deps: Deps = { greeting: "Hello" };
  const asked = async (_deps: Deps, caller: Caller) => caller.actor;
  const optional = async (_deps: Deps, _id: string, caller?: Caller) => caller?.actor;
  const types = () => {
    // @ts-expect-error: takes a caller without checking a rule
    bind(deps, { asked });
    // @ts-expect-error: takes an optional caller
    bind(deps, { optional });
    // @ts-expect-error: the dependencies are missing
    bind({}, { greet });
    // @ts-expect-error: a name is text
    void bind(deps, table).greet(viewer, 1);
    // @ts-expect-error: the caller comes first
    void bind(deps, table).greet("Ada");
  };
  assert.equal(typeof types, "function");
});
