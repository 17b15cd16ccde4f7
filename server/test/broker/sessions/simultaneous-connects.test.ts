import assert from "node:assert/strict";
import { test } from "node:test";
import { isUnavailable } from "../../../src/db/refusal.ts";
import { type Process, processes } from "../../harness/processes/broker-processes.ts";
import { sequence } from "../../harness/sequence.ts";

type Setting = Awaited<ReturnType<typeof processes>>;
type TestSession = ReturnType<Setting["session"]>;

/** Only `beatNow` sends heartbeats. */
const NO_HEARTBEATS = { heartbeatMs: 3_600_000 };

function manyDevices({ newDevice }: Setting, count: number) {
  return Promise.all(Array.from({ length: count }, newDevice));
}

async function storedOf({ database }: Setting): Promise<string[]> {
  const rows = await database.db.selectFrom("mqtt_sessions").select("session_id").execute();
  return rows.map((row) => row.session_id);
}

test("simultaneous sessions of one client id replace each other in the order of the connects", async (t) => {
  const setting = await processes(t, 1);
  const { all, newDevice, session } = setting;
  const { connections } = all[0]!;
  const [busy, calm] = [await newDevice(), await newDevice()];
  const wanted = Array.from({ length: 20 }, (_, n) => session(n === 10 ? calm : busy));
  const order: string[] = [];
  const opened = await Promise.all(
    wanted.map((each) => connections.openSession(each).finally(() => order.push(each.sessionId))),
  );
  const ofBusy = wanted.filter(({ clientId }) => clientId === busy.id);
  const previous = opened.filter((_, n) => n !== 10).map((each) => each.previous);
  const expected = ofBusy.map((_, n) => (n === 0 ? undefined : { sessionId: ofBusy[n - 1]!.sessionId, here: true }));
  assert.deepEqual(previous, expected);
  assert.deepEqual(new Set(await storedOf(setting)), new Set([wanted[10]!.sessionId, ofBusy.at(-1)!.sessionId]));
  assert.ok(order.indexOf(wanted[10]!.sessionId) <= 1, "the other client does not wait for them");
});

test("a session that the database refuses fails alone", async (t) => {
  const setting = await processes(t, 1);
  const { all, session } = setting;
  const devices = await manyDevices(setting, 20);
  const wanted: TestSession[] = devices.map(session);
  wanted[7]!.tenantId = "not a UUID";
  const opened = await Promise.allSettled(wanted.map((each) => all[0]!.connections.openSession(each)));
  for (const [n, { status }] of opened.entries()) assert.equal(status, n === 7 ? "rejected" : "fulfilled", `${n}`);
  const others = wanted.filter((_, n) => n !== 7).map(({ sessionId }) => sessionId);
  assert.deepEqual(new Set(await storedOf(setting)), new Set(others));
});

test("when the database refuses the node, every connect fails, and after its next heartbeat none", async (t) => {
  const setting = await processes(t, 1, NO_HEARTBEATS);
  const { all, session, database } = setting;
  const [{ connections, nodeId }] = all as [Process];
  const devices = await manyDevices(setting, 20);
  await database.db.deleteFrom("broker_nodes").where("id", "=", nodeId).execute();
  const refused = await Promise.allSettled(devices.map((device) => connections.openSession(session(device))));
  assert.ok(refused.every((each) => each.status === "rejected" && !isUnavailable(each.reason)));
  await connections.beatNow();
  await Promise.all(devices.map((device) => connections.openSession(session(device))));
  assert.equal((await storedOf(setting)).length, devices.length);
});

test("connects and disconnects of many clients at several nodes wait for each other, but never in a cycle", async (t) => {
  const setting = await processes(t, 3);
  const { all, session } = setting;
  const random = sequence(7);
  const devices = await manyDevices(setting, 60);
  for (let round = 0; round < 8; round++) {
    const replaced = new Set<string>();
    const opened = await Promise.all(
      all.flatMap(({ connections }, node) => {
        return shuffled(devices, random).map(async (device) => {
          const mine = session(device);
          const { previous } = await connections.openSession(mine);
          if (previous) replaced.add(previous.sessionId);
          // Some end while the others connect, in the order in which they were opened.
          if (node === round % 3) connections.closeSession(mine.sessionId, "disconnected");
          return { device: device.id, sessionId: mine.sessionId, isOpen: node !== round % 3 };
        });
      }),
    );
    for (const { connections } of all) await connections.flush();
    const left = opened.filter(({ sessionId, isOpen }) => isOpen && !replaced.has(sessionId));
    const stored = await storedOf(setting);
    assert.equal(new Set(left.map(({ device }) => device)).size, left.length, "one of a client id at most");
    assert.deepEqual(new Set(stored), new Set(left.map(({ sessionId }) => sessionId)));
    for (const { connections } of all) {
      for (const { sessionId } of opened) connections.closeSession(sessionId, "takeover");
    }
    for (const { connections } of all) await connections.flush();
    assert.deepEqual(await storedOf(setting), []);
  }
});

test("sessions that reconnect while their node is reaped all exist afterwards", async (t) => {
  const setting = await processes(t, 2, NO_HEARTBEATS);
  const { all, session } = setting;
  const [ended, next] = all as [Process, Process];
  const devices = await manyDevices(setting, 150);
  await Promise.all(devices.map((device) => ended.connections.openSession(session(device))));
  await ended.connections.flush();
  const second = devices.map(session);
  await Promise.all([
    ...shuffled(second, sequence(3)).map((each) => next.connections.openSession(each)),
    next.connections.reapNode(ended.nodeId),
  ]);
  await next.connections.flush();
  assert.deepEqual(new Set(await storedOf(setting)), new Set(second.map(({ sessionId }) => sessionId)));
  for (const device of devices) assert.equal((await device.connectivity()).status, "online");
});

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
