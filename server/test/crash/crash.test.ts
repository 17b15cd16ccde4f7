/** One service in its own process, which every test kills and restarts: a start takes longer than most tests. */
import { after, before, describe } from "node:test";
import { type Sinks, startSinks } from "../harness/http/sinks.ts";
import { type CrashFixture, startCrashFixture } from "../harness/processes/crash.ts";
import { commandCrashes } from "./suite-commands.ts";
import { delayedWillCrashes } from "./suite-delayed-wills.ts";
import { notificationCrashes } from "./suite-notifications.ts";
import { crashPoints } from "./suite-points.ts";
import { randomCrashes } from "./suite-random.ts";

let sinks: Sinks;
let fixture: CrashFixture;
before(async () => {
  sinks = await startSinks();
  fixture = await startCrashFixture({ env: sinks.env });
});
after(async () => {
  await fixture?.close();
  await sinks.stop();
});

describe("at a fault point", () => crashPoints(() => fixture));
describe("in a command to many devices", () => commandCrashes(() => fixture));
describe("in a delayed will", () => delayedWillCrashes(() => fixture));
describe("at random", () => randomCrashes(() => fixture));
describe("in notifications", () => notificationCrashes(() => ({ fixture, sinks })));
