import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { breakingChanges, type Description } from "./compare.ts";

const TEXT = readFileSync(join(import.meta.dirname, "../../openapi/public.json"), "utf8");

/** Returns the changes that break programs after `change` of the present description. */
// biome-ignore lint/suspicious/noExplicitAny: a description is JSON
function broken(change: (description: any) => void): string[] {
  const after = JSON.parse(TEXT);
  change(after);
  return breakingChanges(JSON.parse(TEXT) as Description, after);
}

test("the present description breaks nothing of itself", () => {
  assert.deepEqual(
    broken(() => undefined),
    [],
  );
});

test("a removed operation, parameter, answer and webhook break programs", () => {
  const paths = broken(({ paths }) => delete paths["/api/v1/groups/{id}"].get);
  assert.deepEqual(paths, ["GET /api/v1/groups/{id} is gone"]);
  const parameters = broken(({ paths }) => paths["/api/v1/groups"].get.parameters.shift());
  assert.deepEqual(parameters, ["GET /api/v1/groups has lost the query parameter q"]);
  const status = broken(({ paths }) => {
    const { responses } = paths["/api/v1/groups"].post;
    responses[200] = responses[201];
    delete responses[201];
  });
  assert.deepEqual(status, ["POST /api/v1/groups no longer answers 201"]);
  const webhooks = broken((description) => delete description.webhooks["anomaly.opened"]);
  assert.deepEqual(webhooks, ["the webhook anomaly.opened is gone"]);
});

test("an operation may go after its announced end, and not before", () => {
  const sunset = "2028-01-01T00:00:00.000Z";
  const before = JSON.parse(TEXT);
  const after = JSON.parse(TEXT);
  before.paths["/api/v1/groups/{id}"].get["x-sunset"] = sunset;
  delete after.paths["/api/v1/groups/{id}"].get;
  assert.deepEqual(breakingChanges(before, after, new Date(sunset)), []);
  const early = new Date(Date.parse(sunset) - 1);
  assert.deepEqual(breakingChanges(before, after, early), ["GET /api/v1/groups/{id} is gone"]);
});

test("another name or scope of an operation breaks programs", () => {
  const named = broken(({ paths }) => {
    paths["/api/v1/groups"].get.operationId = "getGroups";
    paths["/api/v1/groups"].get["x-required-scope"] = "groups:list";
  });
  assert.deepEqual(named, [
    "GET /api/v1/groups was called listGroups",
    "GET /api/v1/groups needed groups:read and needs groups:list",
  ]);
});

test("a body that demands more breaks programs, and one that accepts more does not", () => {
  const at = "POST /api/v1/groups body";
  const required = broken(({ components }) => components.schemas.GroupCreate.required.push("description"));
  assert.deepEqual(required, [`${at} now requires description`]);
  const shorter = broken(({ components }) => {
    components.schemas.GroupCreate.properties.name.maxLength = 10;
  });
  assert.match(shorter[0]!, /^POST \/api\/v1\/groups body\.name has a tighter maxLength: \d+ became 10$/);
  const lost = broken(({ components }) => delete components.schemas.GroupCreate.properties.channels);
  assert.deepEqual(lost, [`${at} has lost channels`]);
  const more = broken(({ components }) => {
    components.schemas.GroupCreate.properties.color = { type: "string" };
    components.schemas.GroupCreate.properties.name.maxLength = 10_000;
  });
  assert.deepEqual(more, []);
});

test("an answer that says less or something else breaks programs, and one that says more does not", () => {
  const lost = broken(({ components }) => delete components.schemas.Group.properties.createdAt);
  assert.ok(lost.includes("GET /api/v1/groups/{id} 200 has lost createdAt"));
  const optional = broken(({ components }) => components.schemas.Group.required.shift());
  assert.ok(optional.includes("GET /api/v1/groups/{id} 200 may now lack id"));
  const typed = broken(({ components }) => {
    components.schemas.Ticket.properties.number = { type: "string" };
  });
  assert.ok(typed.includes("GET /api/v1/tickets/{id} 200.number was integer and is string"));
  const added = broken(({ components }) => {
    components.schemas.Group.properties.color = { type: "string" };
    components.schemas.RefusalReason["x-extensible-enum"].push("tired");
  });
  assert.deepEqual(added, []);
});

test("a value added to or removed from an enumeration breaks the side that reads it", () => {
  const added = broken(({ components }) => components.schemas.Severity.enum.push("cosmetic"));
  assert.ok(added.includes("GET /api/v1/anomalies/{id} 200.severity may now be cosmetic"));
  const removed = broken(({ components }) => components.schemas.Severity.enum.pop());
  assert.ok(removed.includes("GET /api/v1/anomalies query parameter severity no longer accepts warning"));
});

test("an alternative added to an answer's value, or removed from a body's, breaks programs", () => {
  const removed = broken(({ components: { schemas } }) => {
    const { oneOf } = schemas.RuleLimitCreate;
    schemas.RuleLimitCreate.oneOf = oneOf.filter(({ $ref }: { $ref: string }) => !$ref.endsWith("/RangeValue"));
  });
  assert.ok(removed.includes('POST /api/v1/thresholds body.rules[].value no longer accepts "array"'));
  const nullable = broken(({ components }) => {
    components.schemas.Group.properties.name = { type: ["string", "null"] };
  });
  assert.ok(nullable.includes('GET /api/v1/groups/{id} 200.name may now be "null"'));
});
