import { after, before, describe } from "node:test";
import { openTelemetryFixture, type TelemetryFixture } from "../harness/telemetry.ts";
import { rejectedRules } from "./suite-rejected.ts";

let fixture: TelemetryFixture;
before(async () => {
  fixture = await openTelemetryFixture();
});
after(() => fixture.close());

describe("rejected messages", () => rejectedRules(() => fixture));
