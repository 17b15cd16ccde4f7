import { after, before, describe } from "node:test";
import { acknowledgeRules } from "./anomalies/suite-acknowledge.ts";
import { anomalyListRules } from "./anomalies/suite-anomaly-list.ts";
import { lifeCycleRules } from "./anomalies/suite-life-cycle.ts";
import { type Environment, startEnvironment } from "./rules/environment.ts";

let env: Environment;
before(async () => {
  env = await startEnvironment();
});
after(() => env.stop());

describe("anomalies", () => lifeCycleRules(() => env));
describe("acknowledging", () => acknowledgeRules(() => env));
describe("the list of anomalies", () => anomalyListRules(() => env));
