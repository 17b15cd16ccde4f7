import assert from "node:assert/strict";
import { test } from "node:test";
import { entityTag, noneMatch, precondition } from "./entity-tag.ts";

const pump = { id: "pump-1", name: "Pump", lastSeenAt: new Date(0) };
const seen = { ...pump, lastSeenAt: new Date(1) };
const renamed = { ...pump, name: "Feed pump" };

test("a tag is strong and changes with any field", () => {
  assert.match(entityTag(pump, ["lastSeenAt"]), /^"[\w-]{22}\.[\w-]{22}"$/);
  assert.match(entityTag(pump), /^"[\w-]{22}"$/);
  assert.equal(entityTag(pump, ["lastSeenAt"]), entityTag({ ...pump }, ["lastSeenAt"]));
  assert.notEqual(entityTag(pump, ["lastSeenAt"]), entityTag(seen, ["lastSeenAt"]));
  assert.notEqual(entityTag(pump), entityTag(renamed));
});

const ifMatch = (header: string, volatile?: string[]) => precondition({ "if-match": header }, volatile)!;

test("If-Match ignores the fields that change without a write, and nothing else", () => {
  const matches = ifMatch(entityTag(pump, ["lastSeenAt"]), ["lastSeenAt"]);
  assert.equal(matches(seen), true);
  assert.equal(matches(renamed), false);
});

test("If-Match accepts * and any of several tags; weak tags and fragments of ours do not match", () => {
  const tag = entityTag(pump);
  assert.equal(precondition({}), undefined);
  assert.equal(ifMatch(" * ")(pump), true);
  assert.equal(ifMatch(`"other", ${tag}`)(pump), true);
  for (const header of [`W/${tag}`, '""', '"other"', `"${tag.slice(1, 5)}"`])
    assert.equal(ifMatch(header)(pump), false);
});

test("an If-Match without an entity tag is a mistake, not a conflict", () => {
  for (const header of ["", "x", entityTag(pump).slice(1, -1), '"', '"a" "b"', `${entityTag(pump)},`]) {
    assert.throws(() => ifMatch(header), { code: "invalid_request", detail: "If-Match" }, header);
  }
});

test("If-None-Match on a write requires another record or, with *, none", () => {
  const unless = (header: string) => precondition({ "if-none-match": header })!(pump);
  assert.deepEqual([unless("*"), unless(entityTag(pump)), unless('"other"')], [false, false, true]);
});

test("If-None-Match compares weakly and completely", () => {
  const tag = entityTag(pump, ["lastSeenAt"]);
  assert.equal(noneMatch(undefined, tag), false);
  assert.equal(noneMatch(`W/${tag}, "x"`, tag), true);
  assert.equal(noneMatch("*", tag), true);
  assert.equal(noneMatch(entityTag(seen, ["lastSeenAt"]), tag), false);
});
