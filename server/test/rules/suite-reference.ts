import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { NewRule } from "../../src/rules/rules.ts";
import { anyMessages, anyRule } from "../../src/rules/test-support/any-telemetry.ts";
import { referenceAnomalies } from "../../src/rules/test-support/reference-evaluator.ts";
import { onPostgres } from "../harness/database/database.ts";
import type { Environment } from "./environment.ts";
import { freshTelemetry, newSender, packOf, payloadOf } from "./sender.ts";

const HOUR = 3_600_000;

/** The destination of a batch: one of two processes that both cache the device, or a process that has just started. */
const anyCut = fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom("one", "two", "fresh")), {
  minLength: 1,
});

type Shown = [ruleId: string, openedAt: string, resolvedAt: string | null, occurrences: number, value: unknown];

/**
 * Merges anomalies that opened and were resolved in one batch into one per rule: each batch is stored at a different
 * time.
 */
function mergedInBatches(anomalies: readonly Shown[]): Shown[] {
  const merged: Shown[] = [];
  for (const [ruleId, openedAt, resolvedAt, occurrences, value] of anomalies) {
    const last = merged.at(-1);
    const isMerged = openedAt === resolvedAt && last?.slice(0, 3).join() === [ruleId, openedAt, resolvedAt].join();
    if (isMerged) merged[merged.length - 1] = [ruleId, openedAt, resolvedAt, last[3] + occurrences, value];
    else merged.push([ruleId, openedAt, resolvedAt, occurrences, value]);
  }
  return merged;
}

/** Compares evaluation and storage together with the reference evaluator. */
export function referenceRules(given: () => Environment): void {
  test("the anomalies are those of the reference evaluator, for late, repeated and unordered readings, any batches and restarts", async () => {
    const env = given();
    const { server } = env;
    const processes = { one: freshTelemetry(env), two: freshTelemetry(env) };
    const anyRules = fc.array(anyRule(""), { minLength: 1, maxLength: 4 });
    let anomalies = 0;
    await fc.assert(
      fc.asyncProperty(anyRules, anyMessages, anyCut, async (rules, messages, cuts) => {
        const pack = await packOf(env, ...(rules as NewRule[]));
        const sender = await newSender(env, pack);
        const base = server.clock.now().getTime() - HOUR;
        const storedAt = new Map<string, string>();
        let sent = 0;
        for (let turn = 0; sent < messages.length; turn++) {
          const [size, where] = cuts[turn % cuts.length]!;
          const batch = messages.slice(sent, sent + size);
          server.clock.advance(10);
          await sender.send(
            batch.map((message) => payloadOf(message, base)),
            where === "fresh" ? freshTelemetry(env) : processes[where],
          );
          const now = server.clock.now().toISOString();
          for (const { metric, time } of batch.flat()) {
            const key = `${metric} ${time}`;
            if (!storedAt.has(key)) storedAt.set(key, now);
          }
          sent += size;
        }
        const expected = mergedInBatches(
          referenceAnomalies(pack.rules, messages).map(({ ruleId, openedAt, resolvedAt, occurrences, value }) => {
            const { metric } = pack.rules.find(({ id }) => id === ruleId)!;
            const at = (time: number) => storedAt.get(`${metric} ${time}`)!;
            return [ruleId, at(openedAt), resolvedAt === null ? null : at(resolvedAt), occurrences, value];
          }),
        );
        const found = (
          await server.app.anomalies.listAnomalies(env.tenant.caller, { deviceId: sender.id, skip: 0, limit: 200 })
        ).items;
        anomalies += found.length;
        const order = new Map(pack.rules.map(({ id }, at) => [id, at]));
        const shown = found
          .reverse()
          .toSorted((a, b) => order.get(a.ruleId!)! - order.get(b.ruleId!)!)
          .map((a) => [
            a.ruleId,
            a.openedAt.toISOString(),
            a.resolvedAt?.toISOString() ?? null,
            a.occurrences,
            a.value,
          ]);
        assert.deepEqual(shown, expected);
      }),
      // With the ingest stream it takes a while until a batch is stored.
      { numRuns: onPostgres && env.nextServer === undefined ? 60 : 15 },
    );
    assert.ok(anomalies > 3, `only ${anomalies} anomalies: the cases proved little`);
  });
}
