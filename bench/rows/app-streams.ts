import { connect } from "node:tls";
import { createAdministrator } from "../../load/administrator.ts";
import type { HttpsTarget } from "../../load/https-client.ts";
import { type Load, type Meter, measured, sleep, total, within } from "../../load/measure.ts";
import { closeAll, type Identity, loopback, openAll } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import { type Publisher, publishOnAll } from "../../load/publisher.ts";
import { createTenant } from "../../load/tenant.ts";
import { beside, bothMs, divided, type Figure, figure, rate, timesAtLeast } from "../report.ts";
import { onPostgres } from "../site.ts";

const STREAMS = 20;
/** Streams of one session, which may have four. */
const A_SESSION = 4;
const DEVICES = 1000;
/** Messages in flight of each device. */
const WINDOW = 4;
const ROUNDS = 5;
const SECONDS = 5;
const SETTLE_MS = 1500;
/** The least bytes a second of a stream: three metrics take some 300. */
const LEAST_BYTES = 300;

/** Ingest at full rate with and without twenty event streams, in turns. Each has all events and a device's telemetry. */
export async function appStreams(): Promise<Figure[]> {
  const settings = { MUSTER_MQTT_MESSAGES_PER_SECOND: "0" };
  return await onPostgres(({ serve }) => serve(inTurns, settings));
}

async function inTurns(muster: MusterProcess, meter: Meter): Promise<Figure[]> {
  const identities = await (await createTenant(muster, "bench")).newDevices(DEVICES);
  const administrator = await createAdministrator(muster, "bench");
  const sessions = await openAll(muster.mqtt, identities);
  const publisher = publishOnAll(sessions, { window: WINDOW, from: Date.now() });
  const cookies: string[] = [];
  while (cookies.length * A_SESSION < STREAMS) cookies.push(await administrator.newSession());
  const [plain, streamed]: [Load[], Load[]] = [[], []];
  await sleep(SECONDS * 1000);
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await acknowledged(publisher, meter));
    const close = await openStreams(muster.https, cookies, identities);
    streamed.push(await acknowledged(publisher, meter));
    close();
  }
  await publisher.finish();
  await closeAll(sessions);
  const [alone, besides] = [total(plain), total(streamed)];
  const [us, name] = [(load: Load) => bothMs(load) * 1000, "without streams"];
  const text = `beside ${STREAMS} event streams`;
  return [
    figure(`messages stored ${text}`, rate(besides), "/s", beside(name, rate(alone)), timesAtLeast(0.95)),
    figure(`CPU a message ${text}`, us(besides), "µs", divided(besides, "µs"), beside(name, us(alone))),
  ];
}

async function acknowledged(publisher: Publisher, meter: Meter): Promise<Load> {
  await sleep(SETTLE_MS);
  return await measured(meter, async () => {
    const before = publisher.acknowledged;
    await sleep(SECONDS * 1000);
    return publisher.acknowledged - before;
  });
}

/** Returns a function that closes the streams. @throws Error (the function) where one was silent */
async function openStreams(
  target: HttpsTarget,
  cookies: readonly string[],
  identities: readonly Identity[],
): Promise<() => void> {
  const streams = await Promise.all(
    Array.from({ length: STREAMS }, (_, n) =>
      openStream(target, cookies[Math.floor(n / A_SESSION)]!, identities[n]!.deviceId),
    ),
  );
  return () => {
    const least = Math.min(...streams.map(({ bytes }) => bytes()));
    for (const { close } of streams) close();
    if (least < SECONDS * LEAST_BYTES) throw new Error(`a stream brought ${least} bytes only`);
  };
}

/** Opens `GET /api/admin/events` and waits until it is ready. The bytes are counted and dropped: reading costs little. */
async function openStream(target: HttpsTarget, cookie: string, deviceId: string) {
  const socket = connect(loopback(target));
  let bytes = 0;
  const ready = new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the stream was closed")));
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < 4096 && chunk.includes("event: ready")) resolve();
      else if (bytes < 4096 && !chunk.includes("200 OK")) reject(new Error(chunk.toString("latin1")));
    });
  });
  const headers = `host: localhost\r\ncookie: ${cookie}\r\nsec-fetch-site: same-origin\r\naccept: text/event-stream`;
  socket.write(`GET /api/admin/events?telemetry=${deviceId} HTTP/1.1\r\n${headers}\r\n\r\n`);
  await within(10, () => "an event stream", ready);
  return { bytes: () => bytes, close: () => void socket.destroy() };
}
