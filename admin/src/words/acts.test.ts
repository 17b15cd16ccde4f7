import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ACTS, ACTS_ON, fieldText, OPERATIONS } from "./acts.ts";

const ROOT = join(import.meta.dirname, "../../..");
const SOURCES = join(ROOT, "server/src");

/** Returns the codes of acts in the source of the service: those of use cases, and those that are recorded directly. */
function actsOfService(): Set<string> {
  const acts = new Set<string>();
  for (const path of readdirSync(SOURCES, { recursive: true, encoding: "utf8" })) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts") || path.startsWith("api/")) continue;
    const source = readFileSync(join(SOURCES, path), "utf8");
    for (const [, act] of source.matchAll(/adminUseCase\(\s*\{[^}]*\},\s*"([^"]+)"/g)) acts.add(act!);
    for (const [, one, other] of source.matchAll(/\bact(?:: \w+ =|:) (?:\w+ \? )?"([a-z.-]+)"(?: : "([a-z.-]+)")?/g))
      for (const act of [one, other]) if (act?.includes(".")) acts.add(act);
    for (const [, act] of source.matchAll(/\w+: "(ca\.rotate-[a-z]+)"/g)) acts.add(act!);
    for (const [, act] of source.matchAll(/administer\(deps, by, "([^"]+)"/g)) acts.add(act!);
    for (const [, act] of source.matchAll(/adminUseCase\(\s*\w+,\s*"([^"]+)"/g)) acts.add(act!);
    for (const [, act] of source.matchAll(/\bACT = "([a-z.-]+)"/g)) acts.add(act!);
  }
  return acts;
}

test("every act of the administrative audit has words, and no words are left over", () => {
  const found = actsOfService();
  assert.ok(found.size > 50, "the sources name their acts in another way");
  assert.deepEqual([...found].filter((act) => !(act in ACTS)).sort(), []);
  // Writes that API keys may make too are named by record and result.
  const written = /^(certificate|claim|device|group|shift|threshold)\.(create|update|revoke|delete)$/;
  assert.deepEqual(
    Object.keys(ACTS).filter((act) => !found.has(act) && !written.test(act)),
    [],
  );
  const kinds = new Set(Object.keys(ACTS).map((act) => `${act.split(".")[0]}.`));
  for (const kind of Object.keys(ACTS_ON)) assert.ok(kinds.has(kind), kind);
});

test("every write of the public API has words", () => {
  const { paths } = JSON.parse(readFileSync(join(ROOT, "openapi/public.json"), "utf8"));
  const operations = Object.values<Record<string, { operationId?: string }>>(paths).flatMap((methods) =>
    Object.entries(methods).flatMap(([method, { operationId }]) => (method === "get" ? [] : (operationId ?? []))),
  );
  const writes = operations.filter((operation) => !/^(redeem|renew|query|replay)/.test(operation));
  assert.deepEqual(
    writes.filter((operation) => !(operation in OPERATIONS)),
    [],
  );
});

test("the name of a field is read as words", () => {
  assert.equal(fieldText("telemetryRetentionDays"), "telemetry retention days");
});
