import { type HttpsTarget, openHttps } from "../../load/https-client.ts";
import { type Load, type Meter, sustain, total } from "../../load/measure.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { query } from "../../load/postgres.ts";
import { createTenant } from "../../load/tenant.ts";
import { startBareRoute } from "../peers/bare-servers.ts";
import { beside, bothMs, divided, type Figure, figure, rate, serverMs, timesAtLeast } from "../report.ts";
import { onPostgres } from "../site.ts";

const WORKERS = 64;
const DEVICES = 2000;
/** A tenant may have 1,000 keys. */
const KEYS = 900;
const ROUNDS = 4;
const SECONDS = 2;
/** Requests of one key, which admits 120 a minute: the row may take less than a minute. */
const A_KEY = 118;

/**
 * `GET /devices/{id}` through everything that a request passes (key, rate limit, scope, validation, use case) beside a
 * bare Fastify route with one indexed SELECT on the same database. In turns, so that other work affects both.
 */
export async function getDevice(): Promise<Figure[]> {
  return await onPostgres(({ serve, url, databaseMs }) =>
    serve(async (muster, meter) => {
      const fleet = await createFleet(muster);
      const [tenant] = await query<{ id: string }>(url, "SELECT id FROM tenants WHERE slug = 'fleet'");
      const bare = await startBareRoute(url, tenant!.id, databaseMs);
      return await inTurns({ ...muster, meter }, bare, fleet).finally(bare.stop);
    }),
  );
}

interface Served {
  readonly meter: Meter;
  readonly https: HttpsTarget;
}

async function inTurns(muster: Served, bare: Served, fleet: Fleet): Promise<Figure[]> {
  const ours = await contender(muster, (turn) => ({
    path: `/api/v1/devices/${deviceAt(fleet, turn)}`,
    headers: { "x-api-key": keyAt(fleet, turn) },
  }));
  const peer = await contender(bare, (turn) => ({ path: `/devices/${deviceAt(fleet, turn)}`, headers: {} }));
  for (const each of [ours, peer]) await each.warmUp(2 * fleet.keys.length);
  const loads: [Load[], Load[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    loads[0].push(await ours.load(SECONDS));
    loads[1].push(await peer.load(SECONDS));
  }
  ours.close();
  peer.close();
  const [sum, peerSum] = [total(loads[0]), total(loads[1])];
  const compared = (of: (load: Load) => number) => beside("bare Fastify route", of(peerSum));
  const name = "GET /devices/{id}";
  return [
    figure(name, rate(sum), "/s", compared(rate), timesAtLeast(1)),
    figure(`server CPU a ${name}`, serverMs(sum), "ms", compared(serverMs)),
    figure(`CPU a ${name}, server and database`, bothMs(sum), "ms", divided(sum, "ms"), compared(bothMs)),
  ];
}

interface Fleet {
  readonly deviceIds: readonly string[];
  readonly keys: readonly string[];
}

/** Enrolls devices with a type, a group and a certificate each, and creates keys that may read them. */
async function createFleet(muster: MusterProcess): Promise<Fleet> {
  const tenant = await createTenant(muster, "fleet");
  const group = await tenant.newGroup({ name: "Hall 1" });
  const devices = await tenant.newDevices(DEVICES, "Feed pump", [group]);
  const keys: string[] = [];
  while (keys.length < KEYS) keys.push(await tenant.newKey());
  return { deviceIds: devices.map(({ deviceId }) => deviceId), keys };
}

function deviceAt({ deviceIds }: Fleet, turn: number): string {
  return deviceIds[(turn * 7919) % deviceIds.length]!;
}

function keyAt({ keys }: Fleet, turn: number): string {
  if (turn >= keys.length * A_KEY) throw new Error("too few keys were made for so many requests");
  return keys[turn % keys.length]!;
}

async function contender(
  { meter, https }: Served,
  request: (turn: number) => { path: string; headers: Record<string, string> },
) {
  const clients = await Promise.all(Array.from({ length: WORKERS }, () => openHttps(https)));
  let turn = 0;
  const once = async (worker: number): Promise<boolean> => {
    const { path, headers } = request(turn++);
    const answer = await clients[worker]!.send("GET", path, "", headers);
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
    return true;
  };
  return {
    warmUp: (requests: number) =>
      sustain(meter, { workers: WORKERS, seconds: 60 }, async (worker) => turn < requests && once(worker)),
    load: (seconds: number) => sustain(meter, { workers: WORKERS, seconds }, once),
    close: () => {
      for (const client of clients) client.close();
    },
  };
}
