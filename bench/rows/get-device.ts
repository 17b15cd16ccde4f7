import type { Fleet } from "../load/fleet.ts";
import { type HttpsClient, type HttpsTarget, openHttps } from "../load/https-client.ts";
import { type Load, type Meter, sustain, total } from "../measure.ts";
import { cpuFigure, type Figure } from "../report.ts";

const WORKERS = 64;
const ROUNDS = 4;
const SECONDS = 2;
/** Requests of one key: it admits 120 a minute, and the row may take less than a minute. */
const A_KEY = 118;

interface Served {
  readonly cpu: Meter;
  readonly https: HttpsTarget;
}

/**
 * `GET /devices/{id}` through everything a request passes (key, rate limit, scope, validation, use case) beside a bare
 * Fastify route that does one indexed SELECT on the same database. In turns, so that other work on the machine affects both.
 */
export async function getDevice(muster: Served, bare: Served, fleet: Fleet): Promise<Figure[]> {
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
  const name = "bare Fastify route";
  const cpuName = "CPU a GET /devices/{id}, server and database";
  return [
    {
      name: "GET /devices/{id}",
      value: sum.count / sum.seconds,
      unit: "/s",
      peer: { name, value: peerSum.count / peerSum.seconds },
      target: { of: "ratio", atLeast: 1.0 },
    },
    {
      name: "server CPU a GET /devices/{id}",
      value: sum.serverMs / sum.count,
      unit: "ms",
      peer: { name, value: peerSum.serverMs / peerSum.count },
    },
    { ...cpuFigure(cpuName, sum, "ms"), peer: { name, value: cpuFigure(cpuName, peerSum, "ms").value } },
  ];
}

function deviceAt({ deviceIds }: Fleet, turn: number): string {
  return deviceIds[(turn * 7919) % deviceIds.length]!;
}

function keyAt({ keys }: Fleet, turn: number): string {
  if (turn >= keys.length * A_KEY) throw new Error("too few keys were made for so many requests");
  return keys[turn % keys.length]!;
}

async function contender(
  { cpu, https }: Served,
  request: (turn: number) => { path: string; headers: Record<string, string> },
) {
  const clients: HttpsClient[] = await Promise.all(Array.from({ length: WORKERS }, () => openHttps(https)));
  let turn = 0;
  const once = async (worker: number): Promise<boolean> => {
    const { path, headers } = request(turn++);
    const answer = await clients[worker]!.send("GET", path, "", headers);
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
    return true;
  };
  return {
    warmUp: (requests: number) =>
      sustain(cpu, { workers: WORKERS, seconds: 60 }, async (worker) => turn < requests && once(worker)),
    load: (seconds: number) => sustain(cpu, { workers: WORKERS, seconds }, once),
    close: () => {
      for (const client of clients) client.close();
    },
  };
}
