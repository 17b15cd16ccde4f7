import { after, before, describe } from "node:test";
import { type Environment, startEnvironment } from "./environment.ts";
import { assignmentRules } from "./suite-assignments.ts";
import { derivedRules } from "./suite-derived.ts";
import { dryRunRules } from "./suite-dry-run.ts";
import { evaluationRules } from "./suite-evaluation.ts";
import { packChangeRules } from "./suite-pack-changes.ts";
import { packRules } from "./suite-packs.ts";
import { referenceRules } from "./suite-reference.ts";
import { silenceRules, unattendedSilenceRules } from "./suite-silence.ts";

let env: Environment;
before(async () => {
  env = await startEnvironment();
});
after(() => env.stop());

describe("threshold packs", () => packRules(() => env));
describe("evaluation", () => evaluationRules(() => env));
describe("assignment of packs", () => assignmentRules(() => env));
describe("changes of packs", () => packChangeRules(() => env));
describe("silence", () => silenceRules(() => env));
describe("silence of devices that only the test polls for", unattendedSilenceRules);
describe("rules with measures and several conditions", () => derivedRules(() => env));
describe("dry runs", () => dryRunRules(() => env));
describe("against the reference evaluator", () => referenceRules(() => env));
