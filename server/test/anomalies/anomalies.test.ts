import { after, before, describe } from "node:test";
import { type Environment, startEnvironment } from "../rules/environment.ts";
import { acknowledgeRules } from "./suite-acknowledge.ts";
import { anomalyListRules } from "./suite-anomaly-list.ts";
import { lifeCycleRules } from "./suite-life-cycle.ts";

let env: Environment;
before(async () => {
  env = await startEnvironment();
});
after(() => env.stop());

describe("anomalies", () => lifeCycleRules(() => env));
describe("acknowledging", () => acknowledgeRules(() => env));
describe("the list of anomalies", () => anomalyListRules(() => env));
