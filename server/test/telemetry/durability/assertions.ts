import assert from "node:assert/strict";
import { openDatabase } from "../../../src/db/database.ts";
import { createLogger } from "../../../src/lib/logger.ts";
import { referenceAnomalies } from "../../../src/rules/test-support/reference-evaluator.ts";
import { runSql } from "../../harness/database/run-sql.ts";
import type { Sinks } from "../../harness/http/sinks.ts";
import type { CrashFixture } from "../../harness/processes/crash.ts";
import { type MonitoredDevice, STEP, TOOTH } from "./monitored-devices.ts";
import { INTERVAL_MS } from "./publisher.ts";

export type StoredState = Awaited<ReturnType<typeof readStoredState>>;

/** Returns the readings and anomalies that are stored after the kill. Opening the embedded database recovers it. */
export async function readStoredState({ databaseUrl: url, dataDir }: Pick<CrashFixture, "databaseUrl" | "dataDir">) {
  const opened = await openDatabase({ url, dataDir, logger: createLogger("silent") });
  const query = <Row>(statement: string) => runSql<Row>(opened.db, statement, []);
  const stored = await query<{ device: string; number: number }>(`
    SELECT d.id AS device, t.number FROM shared_readings t JOIN devices d ON d.uid = t.device_uid
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

/** Asserts that every acknowledged reading is stored. */
export function assertStored({ publisher }: MonitoredDevice, state: StoredState): void {
  const stored = new Set(state.storedOf(publisher.deviceId));
  const lost = publisher.acknowledged.filter((n) => !stored.has(n));
  assert.deepEqual(lost, []);
}

/**
 * Asserts that the anomalies of the sawtooth count what the reference evaluator finds in the stored readings. Anomalies
 * that opened and were resolved within one batch are recorded as one per rule, with the sum of their occurrences.
 */
export function assertEvaluated({ publisher, rules }: MonitoredDevice, state: StoredState): void {
  const stored = state.storedOf(publisher.deviceId);
  const readings = stored.map((n) => ({ time: n * INTERVAL_MS * 1000, metric: "tooth", value: n % TOOTH }));
  const expected = referenceAnomalies(rules, [readings]);
  assert.ok(expected.length > stored.length / TOOTH / 2, `${expected.length} anomalies are too few`);
  const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  for (const { id } of rules) {
    const found = state.anomalies.filter(({ rule }) => rule === id);
    const wanted = expected.filter(({ ruleId }) => ruleId === id);
    assert.ok(found.length > 0 && found.length <= wanted.length, `${found.length} of ${wanted.length}`);
    assert.equal(total(found.map((each) => each.occurrences)), total(wanted.map((each) => each.occurrences)));
    assert.deepEqual(
      found.filter(({ resolved }) => !resolved).map(({ occurrences }) => occurrences),
      wanted.filter(({ resolvedAt }) => resolvedAt === null).map(({ occurrences }) => occurrences),
    );
  }
}

/**
 * Asserts that every limit that a stored reading crossed has one anomaly, and that the sink received each anomaly under
 * one message id.
 */
export function assertPaged({ publisher, rules }: MonitoredDevice, state: StoredState, sinks: Sinks): void {
  const highest = Math.floor(Math.max(...state.storedOf(publisher.deviceId)) / STEP);
  const crossed = rules.filter(({ value }) => (value as number) < highest);
  const anomalies = state.anomalies.filter(({ device }) => device === publisher.deviceId);
  assert.deepEqual(anomalies.map(({ rule }) => rule).sort(), crossed.map(({ id }) => id).sort());
  assert.ok(anomalies.length >= 4, `${anomalies.length} anomalies are too few`);
  const arrived = [
    ...sinks.hooks.map(({ headers, body }) => [JSON.parse(body).data.anomaly.id, headers["webhook-id"]]),
    ...sinks.mails.map(({ text, id }) => [/\/anomalies\/([0-9a-f-]{36})/.exec(text)![1], id]),
  ];
  for (const { id } of anomalies) {
    const messages = arrived.filter(([anomaly]) => anomaly === id).map(([, message]) => message);
    assert.equal(new Set(messages).size, 1, `${id}: ${messages}`);
  }
}
