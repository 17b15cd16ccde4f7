import type { TLSSocket } from "node:tls";
import { closeMqtt, type Identity, openAll } from "../load/mqtt-client.ts";
import { messageIdOf, publishPacket } from "../load/publish-packet.ts";
import { publish } from "../load/publisher.ts";
import { percentile, sleep, until } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";
import { setting } from "../run.ts";

export const WAYS = ["direct", "stream"] as const;
export type Way = (typeof WAYS)[number];
export const ROUNDS = setting("rounds", 2);
/** A device may send 100 messages a second. */
export const DEVICES = 800;
const PER_SECOND = setting("rate", 2_000);
const WARM_UP_SECONDS = 4;
const SECONDS = setting("seconds", 12);
const WINDOW = 10;
const TICK_MS = 5;
const VALUES = '{"temperature":21.5,"pressure":4.25,"vibration":1.125}';
const HOUR_MS = 3_600_000;
/** Each run has later times than the ones before. */
let runs = 0;

/** CPU time so far, in milliseconds. */
export interface Used {
  readonly serverMs: number;
  readonly databaseMs: number;
  readonly natsMs: number;
}

export interface Peers {
  used(): Used;
  /** Stored messages. */
  count(): Promise<number>;
}

/** Messages with the CPU time until the last one was stored. */
interface Load extends Used {
  readonly count: number;
  readonly seconds: number;
}

export interface Measured {
  readonly paced: Load & { readonly delaysMs: readonly number[] };
  readonly most: Load & { readonly acknowledgedPerSecond: number };
}

/** A fixed load, then as much as is acknowledged, each until all of it is stored. */
export async function ingestOfWay(
  muster: MusterProcess,
  identities: readonly Identity[],
  peers: Peers,
): Promise<Measured> {
  const sockets = await openAll(muster.mqtt, identities);
  await pacedLoad(sockets, identities, WARM_UP_SECONDS);
  await sleep(1_000);
  const paced = await measured(peers, async () => {
    const delaysMs = await pacedLoad(sockets, identities, SECONDS);
    return { count: delaysMs.length, delaysMs };
  });
  await Promise.all(sockets.map(closeMqtt));
  const again = await openAll(muster.mqtt, identities);
  const most = await measured(peers, () => fullLoad(again, identities));
  await Promise.all(again.map(closeMqtt));
  return { paced, most };
}

async function measured<T extends { count: number }>(
  { used, count }: Peers,
  work: () => Promise<T>,
): Promise<T & Load> {
  const [before, usedBefore, started] = [await count(), used(), performance.now()];
  const done = await work();
  const isStored = async () => (await count()) - before >= done.count || undefined;
  // Fails when an acknowledged message is missing.
  await until("every acknowledged message in the database", 120, isStored);
  const [usedAfter, seconds] = [used(), (performance.now() - started) / 1000];
  return {
    ...done,
    seconds,
    serverMs: usedAfter.serverMs - usedBefore.serverMs,
    databaseMs: usedAfter.databaseMs - usedBefore.databaseMs,
    natsMs: usedAfter.natsMs - usedBefore.natsMs,
  };
}

/** Publishes at a steady rate. @returns the time from each message to its acknowledgement */
async function pacedLoad(
  sockets: readonly TLSSocket[],
  identities: readonly Identity[],
  seconds: number,
): Promise<number[]> {
  const delaysMs: number[] = [];
  const sessions = sockets.map((socket, index) => {
    const sentAt: number[] = [];
    // The broker sends nothing but PUBACK, which has four octets, in the order of the messages.
    const take = (chunk: Buffer) => {
      const now = performance.now();
      for (const at of sentAt.splice(0, chunk.length / 4)) delaysMs.push(now - at);
    };
    socket.on("data", take);
    return { socket, packet: publishPacket(identities[index]!.topic, VALUES), sentAt, take };
  });
  const started = performance.now();
  let sent = 0;
  for (let now = 0; now < seconds * 1000; now = performance.now() - started) {
    for (const due = Math.floor((now * PER_SECOND) / 1000); sent < due; sent++) {
      const { socket, packet, sentAt } = sessions[sent % sessions.length]!;
      const bytes = Buffer.allocUnsafe(packet.length);
      packet.write(bytes, 0, messageIdOf(sent), Date.now());
      sentAt.push(performance.now());
      socket.write(bytes);
    }
    await sleep(TICK_MS);
  }
  await until("acknowledgements", 60, () => delaysMs.length === sent || undefined);
  for (const { socket, take } of sessions) socket.off("data", take);
  return delaysMs;
}

async function fullLoad(sockets: readonly TLSSocket[], identities: readonly Identity[]) {
  const from = Date.now() - 2 * HOUR_MS + (runs++ * HOUR_MS) / 10;
  const started = performance.now();
  const publishers = sockets.map((socket, index) => publish(socket, identities[index]!.topic, WINDOW, from, VALUES));
  await sleep(SECONDS * 1000);
  const counts = await Promise.all(publishers.map((each) => each.finish()));
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { count, acknowledgedPerSecond: (count * 1000) / (performance.now() - started) };
}

/** @param all of each way, some rounds */
export function ingestStreamFigures(all: ReadonlyMap<Way, readonly Measured[]>): Figure[] {
  const mean = (way: Way, of: (each: Measured) => number) => {
    const values = all.get(way)!.map(of);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  const row = (name: string, unit: string, of: (each: Measured) => number, note?: string): Figure => ({
    name: `${name}, stream`,
    value: mean("stream", of),
    unit,
    peer: { name: "direct", value: mean("direct", of) },
    ...(note === undefined ? {} : { note }),
  });
  const us = (load: Load, part: keyof Used) => (load[part] * 1000) / load.count;
  const atRate = `${PER_SECOND.toLocaleString("en-US")} messages/s of ${DEVICES} devices`;
  return [
    row("acknowledgement, p50", "ms", ({ paced }) => percentile(paced.delaysMs, 0.5), atRate),
    row("acknowledgement, p99", "ms", ({ paced }) => percentile(paced.delaysMs, 0.99), atRate),
    row("server CPU a message", "µs", ({ paced }) => us(paced, "serverMs"), atRate),
    row("database CPU a message", "µs", ({ paced }) => us(paced, "databaseMs"), atRate),
    row("NATS CPU a message", "µs", ({ paced }) => us(paced, "natsMs"), `${atRate}; three servers together`),
    row("messages acknowledged", "/s", ({ most }) => most.acknowledgedPerSecond),
    row("messages stored", "/s", ({ most }) => most.count / most.seconds, "until the last one is stored"),
    row("server CPU a message at most", "µs", ({ most }) => us(most, "serverMs")),
    row("database CPU a message at most", "µs", ({ most }) => us(most, "databaseMs")),
    row("NATS CPU a message at most", "µs", ({ most }) => us(most, "natsMs")),
  ];
}
