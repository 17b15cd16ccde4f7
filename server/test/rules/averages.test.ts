import assert from "node:assert/strict";
import { test } from "node:test";
import type { KyselyPlugin } from "kysely";
import { randomIds } from "../../src/lib/ids.ts";
import { createBatchEvaluator } from "../../src/rules/batch-evaluator.ts";
import { openTestDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";

const HOUR = 3_600_000;
const METRICS = ["flow", "pressure", "temperature"];

test("a batch looks up all averages by one statement in a new hour, and none for late readings", async (t) => {
  const database = await openTestDatabase();
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  const clock = new FakeClock();
  const { access, devices, rules } = testFeatures({ database, clock });
  await access.createTenant({ slug: "acme", name: "Acme" });
  const caller = await access.systemCaller("acme");
  const measure = { kind: "deviation", days: 7 } as const;
  const pack = await rules.createThreshold(caller, {
    name: "Averages",
    rules: METRICS.map((metric) => ({ metric, operator: "gt", value: 3, measure, severity: "major" })),
  });
  for (let n = 0; n < 3; n++) {
    const { id } = await devices.createDevice(caller, { name: "Pump" });
    await devices.replaceDevice(caller, id, { name: "Pump", thresholdIds: [pack.id] });
  }
  const pumps = await runSql<{ uid: string }>(database.db, "SELECT uid FROM devices");
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++;
      return result;
    },
  };
  const listen: typeof database.listen = (...given) => database.listen(...given);
  const counted = { db: database.db.withPlugin(counter), listen };
  const evaluator = createBatchEvaluator({ database: counted, clock, ids: randomIds });
  let version = 0;
  /** Evaluates a reading of every metric of every pump. @returns the number of statements */
  const evaluated = async (ms: number) => {
    const [before, time] = [statements, (clock.now().getTime() + ms) * 1_000];
    const messages = pumps.map(({ uid: deviceUid }) => {
      const readings = [{ time, timeReplaced: false, metrics: METRICS, values: METRICS.map(() => 1) }];
      return { tenantId: caller.tenantId, deviceUid, receivedAt: time, readings, rejected: undefined };
    });
    const versions = { before: version, after: ++version };
    await evaluator.evaluate(messages, () => versions);
    return statements - before;
  };
  assert.equal(await evaluated(0), 3, "the devices, their packs and their averages");
  assert.equal(await evaluated(1), 0, "the hour is known");
  assert.equal(await evaluated(-2 * HOUR), 0, "readings that come late are not evaluated");
  assert.equal(await evaluated(HOUR), 1, "the next hour");
});
