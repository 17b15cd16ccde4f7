import assert from "node:assert/strict";
import { test } from "node:test";
import { entityTag, ifMatch, noneMatch } from "./entity-tag.ts";

const pump = { id: "pump-1", name: "Pump", lastSeenAt: new Date(0) };
const seen = { ...pump, lastSeenAt: new Date(1) };
const renamed = { ...pump, name: "Feed pump" };

test("a tag is a strong one and changes with any field", () => {
  assert.match(entityTag(pump, ["lastSeenAt"]), /^"[\w-]{22}\.[\w-]{22}"$/);
  assert.match(entityTag(pump), /^"[\w-]{22}"$/);
  assert.equal(entityTag(pump, ["lastSeenAt"]), entityTag({ ...pump }, ["lastSeenAt"]));
  assert.notEqual(entityTag(pump, ["lastSeenAt"]), entityTag(seen, ["lastSeenAt"]));
  assert.notEqual(entityTag(pump), entityTag(renamed));
});

test("If-Match looks past the fields that change without a write, and past nothing else", () => {
  const matches = ifMatch(entityTag(pump, ["lastSeenAt"]), ["lastSeenAt"])!;
  assert.equal(matches(seen), true);
  assert.equal(matches(renamed), false);
});

test("If-Match takes *, one of several tags, and no weak or malformed tag", () => {
  const tag = entityTag(pump);
  assert.equal(ifMatch(undefined), undefined);
  assert.equal(ifMatch(" * ")!(pump), true);
  assert.equal(ifMatch(`"other", ${tag}`)!(pump), true);
  for (const header of ["", "x", `W/${tag}`, tag.slice(1, -1), '"', '""', `"other"`]) {
    assert.equal(ifMatch(header)!(pump), false, header);
  }
});

test("If-None-Match compares weakly and whole", () => {
  const tag = entityTag(pump, ["lastSeenAt"]);
  assert.equal(noneMatch(undefined, tag), false);
  assert.equal(noneMatch(`W/${tag}, "x"`, tag), true);
  assert.equal(noneMatch("*", tag), true);
  assert.equal(noneMatch(entityTag(seen, ["lastSeenAt"]), tag), false);
});
