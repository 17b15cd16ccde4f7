import { after, before, describe } from "node:test";
import { DEFAULT_LIMITS } from "../../src/lib/limits/limits.ts";
import { openTelemetryFixture, type TelemetryFixture } from "../harness/telemetry.ts";
import { METRICS_PER_DEVICE, metricCapRules } from "./suite-metric-cap.ts";

let fixture: TelemetryFixture;
before(async () => {
  fixture = await openTelemetryFixture({ limits: { ...DEFAULT_LIMITS, metricsPerDevice: METRICS_PER_DEVICE } });
});
after(() => fixture.close());

describe("metrics of a device", () => metricCapRules(() => fixture));
