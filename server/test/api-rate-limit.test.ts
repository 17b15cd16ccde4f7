import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type Access, createAccess } from "../src/access/access.ts";
import { openDatabase } from "../src/db/database.ts";
import { HOUR } from "../src/lib/clock.ts";
import { randomIds } from "../src/lib/ids.ts";
import { createLogger } from "../src/lib/logger.ts";
import { openTestDatabase } from "./harness/database.ts";
import { FakeClock } from "./harness/fake-clock.ts";

const HERE = "127.0.0.1";

interface Process {
  access: Access;
  clock: FakeClock;
}

/** Processes on one database, each with its own clock (a step moves one of them), and keys of one tenant. */
async function processes(t: TestContext, count: number) {
  const database = await openTestDatabase();
  const logger = createLogger("silent");
  const open: { close(): Promise<void> }[] = [];
  const started: Process[] = [];
  for (let i = 0; i < count; i++) {
    const own =
      database.url === undefined ? database : await openDatabase({ url: database.url, dataDir: "memory", logger });
    if (own !== database) open.push(own);
    const clock = new FakeClock();
    started.push({ access: createAccess({ database: own, clock, ids: randomIds, logger }), clock });
  }
  t.after(async () => {
    for (const { access } of started) await access.close();
    for (const each of open) await each.close();
    await database.close();
    await database.remove();
  });
  const { access } = started[0]!;
  await access.createTenant({ slug: "acme", name: "Acme" });
  const { email } = await access.createUser({ tenant: "acme", email: "admin@acme.example", role: "admin" });
  const newKey = async (): Promise<string> =>
    (await access.createKey({ tenant: "acme", user: email, name: "k", scopes: ["devices:read"] })).key;
  return { started, newKey };
}

async function admitted(process: Process, key: string, requests: number): Promise<number> {
  let count = 0;
  for (let i = 0; i < requests; i++) if ((await process.access.admitRequest(key, HERE)).admitted) count++;
  return count;
}

function pass(all: Process[], ms: number): void {
  for (const { clock } of all) clock.advance(ms);
}

test("any 60 seconds admit exactly 120 requests a key, and the wait that is told is true", async (t) => {
  const { started, newKey } = await processes(t, 1);
  const [one] = started as [Process];
  const key = await newKey();
  assert.equal(await admitted(one, key, 60), 60);
  pass(started, 30_000);
  assert.equal(await admitted(one, key, 100), 60);
  const { caller, ...refused } = await one.access.admitRequest(key, HERE);
  assert.equal(caller.tenantSlug, "acme");
  assert.deepEqual(refused, { admitted: false, limit: 120, windowSeconds: 60, remaining: 0, resetSeconds: 30 });
  pass(started, 29_999);
  assert.equal(await admitted(one, key, 5), 0, "a millisecond early is early");
  pass(started, 1);
  assert.equal(await admitted(one, key, 100), 60, "after the wait that was told");
  pass(started, 30_000);
  assert.equal(await admitted(one, key, 100), 60);
});

test("one key's requests leave another's budget alone", async (t) => {
  const { started, newKey } = await processes(t, 1);
  const [one] = started as [Process];
  const [busy, quiet] = [await newKey(), await newKey()];
  assert.equal(await admitted(one, busy, 130), 120);
  assert.equal((await one.access.admitRequest(quiet, HERE)).remaining, 119);
});

test("500 requests at once over two processes pass exactly 120 times", async (t) => {
  const { started, newKey } = await processes(t, 2);
  const key = await newKey();
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, i) => started[i % 2]!.access.admitRequest(key, HERE)),
  );
  assert.equal(answers.filter((answer) => answer.admitted).length, 120);
});

test("a step of a wall clock neither opens the limit nor shuts the key out", async (t) => {
  const { started, newKey } = await processes(t, 2);
  const [one, other] = started as [Process, Process];
  const key = await newKey();
  assert.equal(await admitted(one, key, 60), 60);
  assert.equal(await admitted(other, key, 60), 60);
  one.clock.step(2 * HOUR);
  assert.equal(await admitted(one, key, 10), 0, "two hours forward on the wall are no time");
  assert.equal(await admitted(other, key, 10), 0);
  one.clock.step(-4 * HOUR);
  pass(started, 61_000);
  assert.equal(await admitted(one, key, 130), 120, "two hours back do not hold the key up");
  other.clock.step(-2 * HOUR);
  assert.equal(await admitted(other, key, 10), 0);
  pass(started, 61_000);
  assert.equal(await admitted(other, key, 130), 120);
});

test("a process that meets a key for the first time goes by the wall clock, and never turns the key's clock back", async (t) => {
  const { started, newKey } = await processes(t, 2);
  const [one, late] = started as [Process, Process];
  const key = await newKey();
  assert.equal(await admitted(one, key, 120), 120);
  late.clock.step(-2 * HOUR);
  assert.equal(await admitted(late, key, 10), 0);
  pass(started, 61_000);
  assert.equal(await admitted(late, key, 130), 120);
});
