import assert from "node:assert/strict";
import { test } from "node:test";
import type { KyselyPlugin } from "kysely";
import { createRuleCache } from "../../src/rules/rule-cache.ts";
import { openTestDatabase } from "../harness/database/database.ts";
import { runSql } from "../harness/database/run-sql.ts";
import { eventually } from "../harness/eventually.ts";
import { FakeClock } from "../harness/fake-clock.ts";
import { testFeatures } from "../harness/features.ts";

const VERSION = { before: 0, after: 1 };

test("a pack that changes reloads its devices, and no others", async (t) => {
  const database = await openTestDatabase();
  t.after(async () => {
    await database.close();
    await database.remove();
  });
  const { access, devices, rules } = testFeatures({ database, clock: new FakeClock() });
  await access.createTenant({ slug: "acme", name: "Acme" });
  const caller = await access.systemCaller("acme");
  const packs = await Promise.all(
    [1, 2].map((value) =>
      rules.createThreshold(caller, {
        name: `Pack ${value}`,
        rules: [{ metric: "temperature", operator: "gt", value, severity: "major" }],
      }),
    ),
  );
  const uids: string[] = [];
  for (const { id: thresholdId } of packs) {
    const { id } = await devices.createDevice(caller, { name: "Pump" });
    await runSql(
      database.db,
      `INSERT INTO device_thresholds (tenant_id, device_uid, threshold_id)
       SELECT tenant_id, uid, $1 FROM devices WHERE id = $2`,
      [thresholdId, id],
    );
    const [row] = await runSql<{ uid: string }>(database.db, "SELECT uid FROM devices WHERE id = $1", [id]);
    uids.push(row!.uid);
  }
  let statements = 0;
  const counter: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      statements++;
      return result;
    },
  };
  const listen: typeof database.listen = (...given) => database.listen(...given);
  const cache = createRuleCache({ db: database.db.withPlugin(counter), listen });
  /** Returns the limits by which a device is evaluated, and how many statements that took. */
  const limitsOf = async (uid: string) => {
    const before = statements;
    const found = await cache.rulesOf(new Set([uid]), () => VERSION);
    const limits = [...found!.get(uid)!.metrics.values()].flatMap((metric) =>
      metric.rules.map(({ rule }) => rule.value),
    );
    return [limits, statements - before];
  };
  for (const n of [0, 1]) assert.deepEqual(await limitsOf(uids[n]!), [[n + 1], 2], "a device and its pack");
  for (const n of [0, 1]) assert.deepEqual(await limitsOf(uids[n]!), [[n + 1], 0], "both are cached");
  await rules.updateThreshold(caller, packs[0]!.id, { rules: [{ ...packs[0]!.rules[0]!, value: 5 }] });
  assert.ok(await eventually(async () => (await limitsOf(uids[0]!))[0]!.toString() === "5"));
  assert.deepEqual(await limitsOf(uids[1]!), [[2], 0], "the other stays cached");
  await rules.updateThreshold(caller, packs[0]!.id, { enabled: false });
  assert.ok(await eventually(async () => (await limitsOf(uids[0]!))[0]!.toString() === ""));
  await rules.updateThreshold(caller, packs[0]!.id, { enabled: true });
  assert.ok(await eventually(async () => (await limitsOf(uids[0]!))[0]!.toString() === "5"));
});
