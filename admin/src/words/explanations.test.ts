import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { findings } from "../texts/de/explanations/findings.ts";
import { refusals } from "../texts/de/explanations/refusals.ts";
import { symptoms } from "../texts/de/explanations/symptoms.ts";
import { REFUSAL_REASONS } from "./refusals.ts";

const { schemas } = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../openapi/admin.json"), "utf8"),
).components;

test("every explanation of the service is translated, and none is left over", () => {
  const revocations: string[] = schemas.RevocationReason.enum;
  assert.deepEqual(
    Object.keys(refusals).sort(),
    [...schemas.RefusalReason["x-extensible-enum"], ...revocations.map((reason) => `revoked.${reason}`)].sort(),
  );
  assert.deepEqual(Object.keys(findings).sort(), [...schemas.Finding.properties.kind.enum].sort());
  assert.deepEqual(Object.keys(symptoms).sort(), [...schemas.Symptom.properties.code.enum].sort());
});

test("every refusal reason of the service has a name, and none is left over", () => {
  assert.deepEqual(Object.keys(REFUSAL_REASONS), schemas.RefusalReason["x-extensible-enum"]);
});
