import { openHttps } from "../../load/https-client.ts";
import { percentile, sleep } from "../../load/measure.ts";
import { closeMqtt, openMqtt } from "../../load/mqtt-client.ts";
import { publishPaced } from "../../load/paced-publisher.ts";
import { bytesOfEach, familyCpuMs } from "../../load/processes.ts";
import type { Sinks } from "../../server/test/harness/http/sinks.ts";
import type { Service } from "../service.ts";
import type { HonestTenant } from "./honest-tenant.ts";
import { pageDelays } from "./pages.ts";
import { repeat, requestDelays } from "./requests.ts";

/** The honest tenant's figures of one phase; times in milliseconds, of the slowest where no percentile is named. */
export interface Figures {
  readonly acknowledgementP50: number;
  readonly acknowledgementP99: number;
  readonly page: number;
  readonly webhook: number;
  readonly healthz: number;
  readonly requestP99: number;
  /** The time of a new HTTPS connection with its first answer, or of a new MQTT session. */
  readonly connect: number;
  /** The longest time in which the server's event loop served nothing. */
  readonly loop: number;
  /** The server's CPU time, in milliseconds per second. */
  readonly cpu: number;
  /** The most memory that the server has gained in the phase, in MB. */
  readonly memory: number;
  /** Requests and connections of the honest tenant that failed. */
  readonly failures: readonly string[];
}

/** The least length of a phase from its begin on, and the number of faults that page in it. */
export interface Phase {
  readonly seconds: number;
  readonly faults: number;
}

const MESSAGES_PER_SECOND = 200;
const HEALTHZ_EVERY_MS = 50;
const REQUEST_EVERY_MS = 100;
const CONNECT_EVERY_MS = 500;
const MEMORY_EVERY_MS = 100;
const MB = 1_000_000;
/** Breaks no rule of the honest tenant. */
const QUIET = '{"temperature":21.5}';
/** The period of the timer that notices a delay of the event loop; the metric includes it. */
const LOOP_TIMER_MS = 20;

/** @param begun when the attack is under way: the honest load and the figures begin before, the phase then */
export async function measureHonest(
  service: Service,
  { publishers, monitored, visitor, keys }: HonestTenant,
  sinks: Sinks,
  { seconds, faults }: Phase,
  begun = Promise.resolve(),
): Promise<Figures> {
  await longestBlock(service.metricsUrl);
  const phase = new AbortController();
  const [cpuBefore, started] = [familyCpuMs(service.pid), performance.now()];
  const ended = phase.signal;
  const running = Promise.all([
    publishPaced(publishers, { perSecond: MESSAGES_PER_SECOND, until: ended, values: QUIET }),
    requestDelays(service.https, HEALTHZ_EVERY_MS, ended, () => ({ path: "/healthz" })),
    requestDelays(service.https, REQUEST_EVERY_MS, ended, (count) => ({
      path: "/api/v1/devices?limit=20",
      key: keys[count % keys.length]!,
    })),
    // A new connection for each request, and a new session.
    repeat(CONNECT_EVERY_MS, ended, async () => {
      const client = await openHttps(service.https);
      await client.send("GET", "/healthz").finally(() => client.close());
    }),
    repeat(CONNECT_EVERY_MS, ended, async () => closeMqtt(await openMqtt(service.mqtt, visitor))),
    memoryGained(service.pid, ended),
  ]);
  const apart = (seconds * 1000) / (2 * faults);
  const paging = begun.then(() =>
    Promise.all([pageDelays(monitored.slice(0, faults), sinks, apart), sleep(seconds * 1000)]),
  );
  const [[acknowledgements, healthz, requests, connections, sessions, memory], [pages]] = await Promise.all([
    running,
    paging.finally(() => phase.abort()),
  ]);
  return {
    acknowledgementP50: percentile(acknowledgements, 0.5),
    acknowledgementP99: percentile(acknowledgements, 0.99),
    page: Math.max(...pages.map(({ page }) => page)),
    webhook: Math.max(...pages.map(({ webhook }) => webhook)),
    healthz: Math.max(...healthz.delays),
    requestP99: percentile(requests.delays, 0.99),
    loop: await longestBlock(service.metricsUrl),
    connect: Math.max(...connections.delays, ...sessions.delays),
    cpu: ((familyCpuMs(service.pid) - cpuBefore) * 1000) / (performance.now() - started),
    memory,
    failures: [healthz, requests, connections, sessions].flatMap(({ failures }) => failures),
  };
}

/** Returns the MB that the process of the server gained which gained most. */
async function memoryGained(pid: number, ended: AbortSignal): Promise<number> {
  const before = bytesOfEach(pid);
  let most = 0;
  for (; !ended.aborted; await sleep(MEMORY_EVERY_MS))
    for (const [each, bytes] of bytesOfEach(pid)) most = Math.max(most, bytes - (before.get(each) ?? bytes));
  return most / MB;
}

/**
 * Returns the longest time since the last call in which the server's event loop served nothing, in milliseconds: its
 * own metric, which each reading resets. On a machine with too few cores it includes the wait for one.
 */
async function longestBlock(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  const found = text.matchAll(/^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? ([0-9.e+-]+)$/gm);
  const longest = Math.max(...[...found].map(([, seconds]) => Number(seconds)));
  return Math.max(0, longest * 1000 - LOOP_TIMER_MS);
}
