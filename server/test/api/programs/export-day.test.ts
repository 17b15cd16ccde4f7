import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:https";
import { after, before, test } from "node:test";
import { DAY, HOUR, MINUTE } from "../../../src/lib/clock.ts";
import { newKey, newTenant } from "../../harness/devices.ts";
import { eventually } from "../../harness/eventually.ts";
import { startServer, type TestServer } from "../../harness/server.ts";

/** A day of a plant, whose first hours are in chunks. */
const DEVICES = 500;
const EVERY = 10 * MINUTE;
const AT_ONCE = 50;
let server: TestServer;

before(async () => {
  server = await startServer();
  await server.app.telemetry.maintainPartitions();
});
after(() => server.stop());

test("a day of 500 devices, exported with interruptions and read again, equals what is stored", async () => {
  const tenant = await newTenant(server);
  const key = await newKey(server, tenant, "telemetry:read");
  const from = server.clock.now().getTime() - DAY;
  const stored = new Map<string, number>();
  const ids = Array.from({ length: DEVICES }, (_, n) => `pump-${n}`);
  await forEach(ids, (id) => server.app.devices.createDevice(tenant.caller, { id, name: "Pump" }));
  const { db } = server.app.database;
  const devices = await db
    .selectFrom("devices")
    .select(["id", "uid"])
    .where("tenant_id", "=", tenant.caller.tenantId)
    .execute();
  const publish = async ({ id, uid }: (typeof devices)[number], start: number, end: number) => {
    const messages = [];
    for (let ts = start; ts < end; ts += EVERY) {
      const level = (ts - from) / MINUTE / 3 + Number(id.slice("pump-".length));
      messages.push({ ts, values: { level } });
      stored.set(`${id} ${new Date(ts).toISOString()}`, level);
    }
    const payload = Buffer.from(JSON.stringify(messages));
    const { tenantId } = tenant.caller;
    await server.app.telemetry.ingest({ tenantId, deviceUid: uid, deviceId: id, topic: `telemetry/${id}`, payload });
  };
  const send = (start: number, end: number) => forEach(devices, (device) => publish(device, start, end));
  await send(from, from + 4 * HOUR);
  server.clock.advance(3 * MINUTE);
  await server.app.telemetry.rollUp();
  await send(from + 4 * HOUR, from + DAY);
  const chunk = await db.selectFrom("telemetry_chunks").select("shape_no").executeTakeFirst();
  assert.ok(chunk, "the first hours are in chunks");

  const range = { from: new Date(from).toISOString(), to: new Date(from + DAY).toISOString() };
  const read = new Map<string, number>();
  let lines = 0;
  let cursor = "";
  for (let part = 0, ended = false; !ended; part++) {
    const query = new URLSearchParams({ ...range, ...(cursor && { cursor }) });
    const most = part < 3 ? (part + 1) * 1_000_000 : Number.POSITIVE_INFINITY;
    // The service notices after a moment that the client has hung up: until then the key has an export.
    const answer = await eventually(() => download(`/api/v1/readings/export?${query}`, key, most));
    assert.ok(answer);
    ended = answer.whole;
    const whole = answer.text.slice(0, answer.text.lastIndexOf("\n") + 1).split("\n");
    for (const line of whole.slice(0, -1)) {
      const { deviceId, at, value, cursor: place } = JSON.parse(line);
      read.set(`${deviceId} ${at}`, value);
      cursor = place;
      lines++;
    }
  }
  assert.equal(lines, stored.size, "nothing twice");
  for (const [reading, value] of stored)
    if (read.get(reading) !== value) assert.fail(`${reading}: ${read.get(reading)}`);
});

async function forEach<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < all.length; n += AT_ONCE) await Promise.all(all.slice(n, n + AT_ONCE).map(work));
}

/** Downloads a file, and hangs up after about `most` bytes. Returns `undefined` if the service says to wait. */
async function download(
  path: string,
  key: string,
  most: number,
): Promise<{ text: string; whole: boolean } | undefined> {
  const call = request(server.httpUrl + path, { ca: server.ca, headers: { "x-api-key": key } }).end();
  const [answer] = await once(call, "response");
  if (answer.statusCode === 429) {
    answer.resume();
    return undefined;
  }
  assert.equal(answer.statusCode, 200);
  let bytes = 0;
  const parts: Buffer[] = [];
  for await (const part of answer) {
    parts.push(part);
    bytes += part.length;
    if (bytes > most) return { text: Buffer.concat(parts).toString(), whole: false };
  }
  return { text: Buffer.concat(parts).toString(), whole: true };
}
