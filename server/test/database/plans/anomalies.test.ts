import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assignPacks } from "../../harness/anomalies.ts";
import { openTelemetryFixture, type TelemetryFixture } from "../../harness/telemetry.ts";
import { wholeReads } from "./reads.ts";

let fixture: TelemetryFixture;
before(async () => {
  fixture = await openTelemetryFixture();
});
after(() => fixture.close());

/** The planner's statistics when it still assumes one anomaly among thousands, until the table's next ANALYZE. */
test("anomalies are resolved without reading all past ones, even if the planner assumes only one", async () => {
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
