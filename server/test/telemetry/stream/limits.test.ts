import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DEFAULT_LIMITS } from "../../../src/lib/limits/limits.ts";
import { onPostgres } from "../../harness/database/database.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import { eventually } from "../../harness/eventually.ts";
import { natsMissing } from "../../harness/processes/nats-server.ts";
import { openStreamedFixture, type StreamedFixture } from "../../harness/telemetry.ts";
import { fairnessRules, reasonsOf } from "../suite-fairness.ts";
import { METRICS_PER_DEVICE, metricCapRules } from "../suite-metric-cap.ts";

/**
 * The limits of devices and tenants with the stream equal those where messages are stored before the acknowledgement.
 */
describe("limits of three processes with MUSTER_INGEST=stream", { skip: natsMissing ?? false }, () => {
  if (!onPostgres) return;

  describe("metrics of a device", () => {
    let fixture: StreamedFixture;
    before(async () => {
      fixture = await openStreamedFixture({ limits: { ...DEFAULT_LIMITS, metricsPerDevice: METRICS_PER_DEVICE } });
    });
    after(() => fixture.close());

    metricCapRules(() => fixture);
  });

  describe("tenants", () => {
    let fixture: StreamedFixture;
    before(async () => {
      // Statements that wait for a lock give up after a service's time limit.
      fixture = await openStreamedFixture({ patient: false });
    });
    after(() => fixture.close());

    // Each of eight concurrent appends may have some 500 messages of the flood if the other tenant sends to other
    // partitions.
    fairnessRules(() => fixture, { flood: 20_000, most: 10_000 });

    test("a tenant whose messages cannot be stored does not delay another's; such a message is rejected in the end", async () => {
      const [tenant, other] = [await fixture.tenant(), await fixture.tenant()];
      const devicesOf = (of: typeof tenant) => Promise.all(Array.from({ length: 4 }, () => fixture.device(of)));
      const [[locked, ...rest], quiet] = [await devicesOf(tenant), await devicesOf(other)];
      await Promise.all([locked!, ...rest, ...quiet].map((device) => device.publish({ a: 0 })));
      await fixture.stored();
      const valueOfA = async (id: string) => (await fixture.atOnce.listLatest(other, id))[0]?.value;
      await fixture.database.db.transaction().execute(async (tx) => {
        await runSql(tx, "SELECT FROM device_latest WHERE device_uid = $1 FOR UPDATE", [locked!.uid]);
        await locked!.publish({ a: 1 });
        for (let n = 1; n <= 5; n++) {
          await Promise.all([...rest, ...quiet].map((device) => device.publish({ a: n })));
          for (const { id } of quiet)
            assert.ok(
              await eventually(async () => (await valueOfA(id)) === n),
              "a quiet tenant's message is not stored",
            );
          assert.equal((await fixture.atOnce.listRejected(tenant, locked!.id)).length, 0);
        }
        assert.ok(
          await eventually(async () => (await fixture.atOnce.listRejected(tenant, locked!.id)).length === 1),
          "the message is not rejected",
        );
      });
      assert.deepEqual(await reasonsOf(fixture, tenant, locked!), [
        "the database cannot store this message within its time limit; it was tried 3 times",
      ]);
      for (const device of rest) assert.equal((await fixture.telemetry.listLatest(tenant, device.id))[0]?.value, 5);
    });
  });
});
