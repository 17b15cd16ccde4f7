import { after, before, describe } from "node:test";
import { referenceRules } from "./evaluation/suite-reference.ts";
import { startWorld, type World } from "./monitoring/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

describe("against the reference evaluator", () => referenceRules(() => world));
