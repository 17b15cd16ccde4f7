import { after, before, describe } from "node:test";
import { acknowledgeRules } from "./monitoring/suite-acknowledge.ts";
import { anomalyRules } from "./monitoring/suite-anomalies.ts";
import { anomalyListRules } from "./monitoring/suite-anomaly-list.ts";
import { replaceDeviceRules } from "./monitoring/suite-replace-device.ts";
import { thresholdRules } from "./monitoring/suite-thresholds.ts";
import { startWorld, type World } from "./monitoring/world.ts";

let world: World;
before(async () => {
  world = await startWorld();
});
after(() => world.stop());

describe("threshold packs", () => thresholdRules(() => world));
describe("anomalies", () => anomalyRules(() => world));
describe("acknowledging", () => acknowledgeRules(() => world));
describe("the list of anomalies", () => anomalyListRules(() => world));
describe("replacing a device", () => replaceDeviceRules(() => world));
