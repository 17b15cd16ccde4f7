import { after, before, describe } from "node:test";
import { changeRules } from "./evaluation/suite-changes.ts";
import { dryRunRules } from "./evaluation/suite-dry-run.ts";
import { judgingRules } from "./evaluation/suite-judging.ts";
import { packRules } from "./evaluation/suite-packs.ts";
import { referenceRules } from "./evaluation/suite-reference.ts";
import { silenceRules } from "./evaluation/suite-silence.ts";
import { startWorld, type World } from "./monitoring/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

describe("judging", () => judgingRules(() => world));
describe("changes of what judges", () => changeRules(() => world));
describe("changes of packs", () => packRules(() => world));
describe("silence", () => silenceRules(() => world));
describe("dry runs", () => dryRunRules(() => world));
describe("against the reference evaluator", () => referenceRules(() => world));
