import assert from "node:assert/strict";
import { openDatabase, runRaw } from "../../src/db/database.ts";
import { createLogger } from "../../src/lib/logger.ts";
import { referenceAnomalies } from "../../src/rules/test-support/reference-evaluator.ts";
import type { CrashFixture } from "../harness/crash.ts";
import type { Sinks } from "../harness/sinks.ts";
import { APART_MS } from "./publisher.ts";
import { STEP, TOOTH, type Watched } from "./watched.ts";

export type There = Awaited<ReturnType<typeof whatIsThere>>;

/** What a start after the kill finds; opening the embedded database is its recovery. */
export async function whatIsThere({ databaseUrl: url, dataDir }: Pick<CrashFixture, "databaseUrl" | "dataDir">) {
  const opened = await openDatabase({ url, dataDir, logger: createLogger("silent") });
  const query = <Row>(statement: string) => runRaw<Row>(opened.db, statement, []);
  const stored = await query<{ device: string; number: number }>(`
    SELECT d.id AS device, t.number FROM telemetry t JOIN devices d ON d.uid = t.device_uid
     WHERE t.metric = 'n' ORDER BY t.ts`);
  const anomalies = await query<{ id: string; device: string; rule: string; occurrences: number; resolved: boolean }>(`
    SELECT id, device_id AS device, rule_id AS rule, occurrences::integer, resolved_at IS NOT NULL AS resolved
      FROM anomalies ORDER BY id`);
  await opened.close();
  return {
    anomalies,
    storedOf: (deviceId: string) => stored.filter(({ device }) => device === deviceId).map(({ number }) => number),
  };
}

/** Nothing that was acknowledged is missing. */
export function provesStored({ publisher }: Watched, there: There): void {
  const stored = new Set(there.storedOf(publisher.deviceId));
  const lost = publisher.acknowledged.filter((n) => !stored.has(n));
  assert.deepEqual(lost, []);
}

/** The anomalies of the saw are those of the reference evaluator over what is stored. */
export function provesJudged({ publisher, rules }: Watched, there: There): void {
  const stored = there.storedOf(publisher.deviceId);
  const said = stored.map((n) => ({ time: n * APART_MS * 1000, metric: "tooth", value: n % TOOTH }));
  const expected = referenceAnomalies(rules, [said]);
  assert.ok(expected.length > stored.length / TOOTH / 2, `${expected.length} anomalies prove little`);
  // In the order of their counts: their ids follow the clock of the database, which each process reads anew.
  const inOrder = (found: [number, boolean][]) => found.map(([count, resolved]) => `${count} ${resolved}`).sort();
  for (const { id } of rules) {
    const found = there.anomalies.filter(({ rule }) => rule === id);
    const due = expected.filter(({ ruleId }) => ruleId === id);
    assert.deepEqual(
      inOrder(found.map(({ occurrences, resolved }) => [occurrences, resolved])),
      inOrder(due.map(({ occurrences, resolvedAt }) => [occurrences, resolvedAt !== null])),
    );
  }
}

/** Every limit that a stored reading crossed is one anomaly, and each has arrived where it should, under one id. */
export function provesPaged({ publisher, rules }: Watched, there: There, sinks: Sinks): void {
  const highest = Math.floor(Math.max(...there.storedOf(publisher.deviceId)) / STEP);
  const crossed = rules.filter(({ value }) => (value as number) < highest);
  const anomalies = there.anomalies.filter(({ device }) => device === publisher.deviceId);
  assert.deepEqual(anomalies.map(({ rule }) => rule).sort(), crossed.map(({ id }) => id).sort());
  assert.ok(anomalies.length >= 4, `${anomalies.length} anomalies prove little`);
  const arrived = [
    ...sinks.hooks.map(({ headers, body }) => [JSON.parse(body).data.anomaly.id, headers["webhook-id"]]),
    ...sinks.mails.map(({ text, id }) => [/\/anomalies\/([0-9a-f-]{36})/.exec(text)![1], id]),
  ];
  for (const { id } of anomalies) {
    const messages = arrived.filter(([anomaly]) => anomaly === id).map(([, message]) => message);
    assert.equal(new Set(messages).size, 1, `${id}: ${messages}`);
  }
}
