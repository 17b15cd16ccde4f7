import assert from "node:assert/strict";
import { test } from "node:test";
import type pg from "pg";
import { OneClient } from "./one-client.ts";

/** A pool with one client that fails to connect as often as `failures` says. */
function poolOf(failures = 0): pg.Pool {
  const client = { release: () => undefined, query: async () => ({ rows: [] }) };
  const connect = async () => {
    if (failures-- > 0) throw new Error("no client");
    return Object.assign(client, { release: () => undefined });
  };
  return { connect, on: () => undefined, end: async () => undefined } as unknown as pg.Pool;
}

/** Lets `names` wait while the client is taken, and returns the order in which they get it. */
async function orderOf(names: readonly string[]): Promise<string> {
  const shared = new OneClient(poolOf());
  const holder = await shared.requests.connect();
  const order: string[] = [];
  const waiting = names.map(async (name) => {
    const client = await (name.startsWith("i") ? shared.ingest : shared.requests).connect();
    order.push(name);
    client.release();
  });
  assert.equal(shared.isIdle, false);
  holder.release();
  await Promise.all(waiting);
  assert.equal(shared.isIdle, true);
  return order.join(" ");
}

test("ingest goes before the requests that wait, in order", async () => {
  assert.equal(await orderOf(["r1", "r2", "i1", "r3", "i2"]), "i1 i2 r1 r2 r3");
});

test("a request has every fourth turn while ingest waits", async () => {
  assert.equal(await orderOf(["i1", "i2", "i3", "i4", "i5", "r1", "r2"]), "i1 i2 i3 r1 i4 i5 r2");
});

test("a client that cannot be had is an error of its waiter, and the next one is served", async () => {
  const shared = new OneClient(poolOf(1));
  await assert.rejects(shared.requests.connect(), /no client/);
  const client = await shared.ingest.connect();
  client.release();
  assert.equal(shared.isIdle, true);
});
