import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { z } from "zod";
import { routes } from "../../../src/api/routes.ts";
import { SECOND } from "../../../src/lib/clock.ts";
import { newKey, newTenant, type TestTenant } from "../../harness/devices.ts";
import { https } from "../../harness/http/https.ts";
import { assertRefused, publicApi } from "../../harness/http/public-api.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** Walks through lists by cursor, and the filters and changes of devices. */
let server: TestServer;
let tenant: TestTenant;
let call: ReturnType<typeof publicApi>["call"];

before(async () => {
  server = await startServer();
  tenant = await newTenant(server);
  ({ call } = publicApi(server, tenant));
});
after(() => server.stop());

const addDevice = async (more: object = {}) => {
  server.clock.advance(1);
  return await server.app.devices.createDevice(tenant.caller, { name: "Pump", ...more });
};

/** A random number generator whose sequence is the same in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
}

test("a walk by cursor neither skips nor repeats a record, while others are added and deleted at random", async () => {
  const next = random(42);
  for (let round = 0; round < 8; round++) {
    const group = await server.app.groups.createGroup(tenant.caller, { name: `Round ${round}` });
    const groupIds = [group.id];
    const present = new Set<string>();
    for (let n = 0; n < 5 + next(20); n++) present.add((await addDevice({ groupIds })).id);
    const filter = next(2) === 0 ? `?groupId=${group.id}` : `?groupId=${group.id}&q=pump`;
    const seen: string[] = [];
    const gone = new Set<string>();
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const query = `${filter}&limit=${1 + next(6)}&cursor=${cursor}`;
      const { json, headers } = await call("listDevices", { query });
      seen.push(...json.items.map(({ id }: { id: string }) => id));
      assert.equal(json.total, present.size, "the total of the beginning");
      assert.equal(headers.link === undefined, json.next === undefined);
      cursor = json.next;
      for (let n = next(3); n > 0; n--) await addDevice({ groupIds });
      if (next(3) === 0) {
        const victim = [...present].find((id) => !seen.includes(id) && !gone.has(id));
        if (victim) {
          await server.app.enrollment.deleteDevice(tenant.caller, victim);
          gone.add(victim);
        }
      }
    }
    assert.equal(new Set(seen).size, seen.length, "nothing twice");
    assert.deepEqual(
      new Set(seen),
      new Set([...present].filter((id) => !gone.has(id))),
      "nothing missing, nothing new",
    );
  }
});

/** The lists that can be walked by cursor. */
const WALKED = routes.flatMap(({ surface, operationId, query }) =>
  surface === "public" && query instanceof z.ZodObject && "cursor" in query.shape && "skip" in query.shape
    ? [operationId]
    : [],
);

test("every list that offers a cursor walks by it, follows its Link, and refuses a forged one", async () => {
  for (let n = 0; n < 3; n++) {
    server.clock.advance(1);
    await call("createGroup", { body: { name: `Walked ${n}` } });
    await call("openTicket", { body: { title: `Walked ${n}` } });
    await call("createClaim", { body: { intendedName: `Walked ${n}` } });
    await server.app.access.createUser(tenant.caller, { email: `walked-${n}@example.com`, role: "viewer" });
  }
  assert.ok(WALKED.length > 10);
  for (const operation of WALKED) {
    const ids = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
    const whole = ids((await call(operation, { query: "?limit=200" })).json);
    const walked: string[] = [];
    let query: string | undefined = "?limit=5&cursor=";
    for (let pages = 0; query !== undefined && pages < 200; pages++) {
      const { json, headers } = await call(operation, { query });
      walked.push(...ids(json));
      query = /<[^?]*(\?[^>]*)>/.exec(String(headers.link ?? ""))?.[1];
    }
    assert.equal(query, undefined, `${operation} ends`);
    // The audit of administration grows by the keys of these calls.
    const known = new Set(whole);
    assert.deepEqual(
      walked.filter((id) => known.has(id)),
      whole,
      operation,
    );
    const forged = [
      "x",
      Buffer.from('[1,["x"]]').toString("base64url"),
      Buffer.from("[1,[null]]").toString("base64url"),
      Buffer.from('[-1,["00000000-0000-7000-8000-000000000000"]]').toString("base64url"),
      Buffer.from(JSON.stringify([1, ["'; SELECT 1 --"]])).toString("base64url"),
    ];
    for (const cursor of forged) {
      const answer = await call(operation, { query: `?cursor=${cursor}` });
      assert.ok(answer.status < 500, `${operation}: ${answer.text}`);
    }
    assertRefused(await call(operation, { query: "?cursor=&skip=1" }), 400, "invalid_request");
  }
  const { items, next } = (await call("listDevices", { query: "?groupId=none&cursor=" })).json;
  assert.deepEqual([items, next], [[], undefined], "a filter that nothing matches ends the walk");
});

test("devices are filtered by certificate state, metadata and the time of their change, and sorted", async () => {
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Filtered" });
  const ids: string[] = [];
  for (const [name, metadata] of Object.entries({ Beta: { hall: 3 }, Alpha: { hall: "3", wet: true }, Gamma: {} })) {
    const { id } = await addDevice({ name, groupIds: [group.id] });
    await call("updateDevice", { id, body: { metadata } });
    ids.push(id);
  }
  const names = async (query: string) => {
    const { json } = await call("listDevices", { query: `?groupId=${group.id}&${query}` });
    return json.items.map(({ name }: { name: string }) => name);
  };
  assert.deepEqual(await names("sort=name"), ["Alpha", "Beta", "Gamma"]);
  assert.deepEqual(await names("sort=-name"), ["Gamma", "Beta", "Alpha"]);
  assert.deepEqual(await names("metadataKey=hall&metadataValue=3&sort=name"), ["Alpha", "Beta"]);
  assert.deepEqual(await names("metadataKey=wet"), ["Alpha"]);
  assert.deepEqual(await names("metadataKey=wet&metadataValue=true&q=ALPH"), ["Alpha"]);
  assert.deepEqual(await names("certificateState=none&sort=name"), ["Alpha", "Beta", "Gamma"]);
  assert.deepEqual(await names("certificateState=active"), []);
  server.clock.advance(SECOND);
  const since = server.clock.now().toISOString();
  assert.deepEqual(await names(`changedSince=${since}`), []);
  await call("updateDevice", { id: ids[2]!, body: { name: "Delta" } });
  assert.deepEqual(await names(`changedSince=${since}`), ["Delta"]);
  assertRefused(await call("listDevices", { query: "?metadataValue=3" }), 400, "invalid_request");
  assertRefused(await call("listDevices", { query: "?sort=name&cursor=" }), 400, "invalid_request");
});

test("PATCH merges as RFC 7396 says: absent stays, null empties, metadata at every level", async () => {
  const group = await server.app.groups.createGroup(tenant.caller, { name: "Patched" });
  const { id } = await addDevice({ description: "Old", groupIds: [group.id], deviceTypeId: tenant.deviceTypeId });
  const metadata = { hall: 3, place: { row: 1, column: 2 }, tags: ["a"] };
  const { json: first, headers } = await call("updateDevice", { id, body: { metadata } });
  assert.deepEqual([first.description, first.groupIds, first.metadata], ["Old", [group.id], metadata]);
  server.clock.advance(1);
  const patch = { description: null, metadata: { hall: null, place: { row: null, floor: 0 }, tags: ["b"] } };
  const changed = await call("updateDevice", { id, body: patch, headers: { "if-match": String(headers.etag) } });
  assert.deepEqual(changed.json.metadata, { place: { column: 2, floor: 0 }, tags: ["b"] });
  assert.deepEqual([changed.json.description, changed.json.groupIds], ["", [group.id]]);
  const stale = { "if-match": String(headers.etag) };
  assertRefused(await call("updateDevice", { id, body: { name: "x" }, headers: stale }), 412, "precondition_failed");
  const emptied = await call("updateDevice", { id, body: { metadata: null, groupIds: null, deviceTypeId: null } });
  assert.deepEqual(
    [emptied.json.metadata, emptied.json.groupIds, emptied.json.deviceTypeId, emptied.json.name],
    [{}, [], null, "Pump"],
  );
  assertRefused(await call("updateDevice", { id, body: { name: null } }), 400, "invalid_request");
  assertRefused(await call("updateDevice", { id, body: { groupIds: ["x"] } }), 400, "invalid_request");
  const key = await newKey(server, tenant, "devices:write");
  const merge = { "x-api-key": key, "content-type": "application/merge-patch+json" };
  const url = `${server.httpUrl}/api/v1/devices/${id}`;
  const answer = await https(url, { ca: server.ca, method: "PATCH", headers: merge, body: { name: "Merged" } });
  assert.deepEqual([answer.status, answer.json.name], [200, "Merged"]);
});
