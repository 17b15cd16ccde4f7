import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assignPacks } from "./harness/anomalies.ts";
import { wholeReads } from "./harness/plans.ts";
import { openTelemetryFixture, type TelemetryFixture } from "./harness/telemetry.ts";

let fixture: TelemetryFixture;
before(async () => {
  fixture = await openTelemetryFixture();
});
after(() => fixture.close());

/** What the planner knows of the first anomaly it believes of thousands, until the table's next ANALYZE. */
test("while the planner knows of one anomaly, anomalies are resolved without reading all that there ever were", async () => {
  const tenant = await fixture.tenant();
  const device = await fixture.device(tenant);
  const rules = [{ metric: "t", operator: "gt" as const, value: 90, severity: "major" as const }];
  const { id } = await fixture.features.rules.createThreshold(tenant, { name: "Hot", rules });
  await assignPacks(fixture, tenant, device.id, id);
  await device.publish({ t: 95 });
  await fixture.query("ANALYZE");
  const reads = await wholeReads(fixture.database.db);
  const ofResolving = reads.filter(({ statement }) => /^(resolve-anomalies|end-silences)$/.test(statement));
  assert.deepEqual(
    ofResolving.filter(({ of, name }) => of === "table" || name === "anomalies_pkey"),
    [],
  );
});
