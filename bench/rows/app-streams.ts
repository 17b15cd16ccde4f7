import type { TLSSocket } from "node:tls";
import type { Administrator } from "../load/administrator.ts";
import { openStream } from "../load/event-streams.ts";
import { closeMqtt, type Identity, openAll } from "../load/mqtt-client.ts";
import { type Publisher, publish } from "../load/publisher.ts";
import { QUIET } from "../load/rules.ts";
import { type Load, type Meter, sleep, startMeter, total } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import { cpuFigure, type Figure } from "../report.ts";

const STREAMS = 20;
/** A session may have four. */
const A_SESSION = 4;
/** Devices that publish; each stream shows one of them, as the page of a device does. */
export const STREAMED_DEVICES = 1000;
/** Messages in flight of each device. */
const WINDOW = 4;
const ROUNDS = 5;
const SECONDS = 5;
const SETTLE_MS = 1500;

/**
 * Ingest at full rate with and without event streams, in turns: each stream has all events and the telemetry of one device, as for
 * twenty windows with the page of a device.
 */
export async function appStreams(
  muster: MusterProcess,
  meter: Meter,
  { identities, administrator }: { identities: readonly Identity[]; administrator: Administrator },
): Promise<Figure[]> {
  const sockets = await openAll(muster.mqtt, identities);
  const from = Date.now();
  const publishers = sockets.map((socket, index) => publish(socket, identities[index]!.topic, WINDOW, from, QUIET));
  const cookies: string[] = [];
  for (let made = 0; made * A_SESSION < STREAMS; made++) cookies.push(await administrator.newSession());
  const [plain, streamed]: [Load[], Load[]] = [[], []];
  await sleep(SECONDS * 1000);
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await measured(publishers, meter));
    const close = await openStreams(muster, cookies, identities);
    streamed.push(await measured(publishers, meter));
    close();
  }
  await finish(publishers, sockets);
  return figuresOf(total(plain), total(streamed));
}

function figuresOf(plain: Load, streamed: Load): Figure[] {
  const name = "without streams";
  const cpuName = `CPU a message beside ${STREAMS} event streams`;
  const cpu = cpuFigure(cpuName, streamed, "µs");
  return [
    {
      name: `messages stored beside ${STREAMS} event streams`,
      value: streamed.count / streamed.seconds,
      unit: "/s",
      peer: { name, value: plain.count / plain.seconds },
      target: { of: "ratio", atLeast: 0.95 },
    },
    { ...cpu, peer: { name, value: cpuFigure(cpuName, plain, "µs").value } },
  ];
}

/** @returns a function that closes them, and fails where one was silent */
async function openStreams(
  muster: MusterProcess,
  cookies: readonly string[],
  identities: readonly Identity[],
): Promise<() => void> {
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) => {
      return openStream(muster.https, cookies[Math.floor(index / A_SESSION)]!, [identities[index]!.deviceId]);
    }),
  );
  return () => {
    const least = Math.min(...streams.map(({ bytes }) => bytes));
    for (const stream of streams) stream.close();
    // Three metrics take some 300 bytes a second.
    if (least < SECONDS * 300) throw new Error(`a stream brought ${least} bytes only`);
  };
}

async function measured(publishers: readonly Publisher[], meter: Meter): Promise<Load> {
  const acknowledged = () => publishers.reduce((sum, each) => sum + each.acknowledged, 0);
  await sleep(SETTLE_MS);
  const [before, used, started] = [acknowledged(), startMeter(meter), performance.now()];
  await sleep(SECONDS * 1000);
  return { count: acknowledged() - before, seconds: (performance.now() - started) / 1000, ...used() };
}

async function finish(publishers: readonly Publisher[], sockets: readonly TLSSocket[]): Promise<void> {
  await Promise.all(publishers.map((each) => each.finish()));
  await Promise.all(sockets.map(closeMqtt));
}
