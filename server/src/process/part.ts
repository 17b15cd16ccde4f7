import type { Limits } from "../lib/limits/limits.ts";
import { DEFAULT_POOLS, type Pools } from "../lib/limits/pools.ts";

/**
 * The part of the service that a process runs: all of it or, with several workers, the control socket and the periodic
 * jobs (`jobs`), or the listeners for MQTT and HTTPS (`serve`).
 */
export type Role = "all" | "jobs" | "serve";

export interface Part {
  role: Role;
  /** The number of processes that serve. */
  workers: number;
  /** Restarts the workers in turn; absent if there are none. @throws {Error} if a new worker does not start */
  restart?: (() => Promise<{ restarted: number }>) | undefined;
}

export const WHOLE: Part = { role: "all", workers: 1 };

/** Each process has one more connection, which listens for notifications. */
const LISTENING = 1;
/** The pools by maximum number of workers: the more processes there are, the fewer connections each has. */
const POOLS_BY_WORKERS: readonly [workers: number, Pools][] = [
  [1, DEFAULT_POOLS],
  [2, { main: 6, ingest: 4, connects: 3 }],
  [4, { main: 4, ingest: 3, connects: 2 }],
  [8, { main: 3, ingest: 2, connects: 2 }],
  [Infinity, { main: 2, ingest: 2, connects: 2 }],
];
const POOLS_OF_JOBS: Pools = { main: 5, ingest: 1, connects: 2 };

export function poolsOf({ role, workers }: Part): Pools {
  return role === "jobs" ? POOLS_OF_JOBS : POOLS_BY_WORKERS.find(([most]) => workers <= most)![1];
}

/** Returns the maximum number of connections to PostgreSQL of all processes. */
export function connectionsNeeded(workers: number): number {
  const serve = sizeOf(poolsOf({ role: "serve", workers }));
  return workers === 1 ? serve : workers * serve + sizeOf(POOLS_OF_JOBS);
}

function sizeOf({ main, ingest, connects }: Pools): number {
  return main + ingest + connects + LISTENING;
}

/** Limits of one machine. The kernel distributes its new connections evenly, so each worker gets its share. */
const DIVIDED = [
  "mqttConnectionsPerAddress",
  "mqttUnauthenticated",
  "httpsConnectionsPerAddress",
  "httpsRequestsOfAddress",
  "httpsUnauthenticatedRequests",
  "httpsUnauthenticatedRequestsPerSecond",
] as const;

export function limitsOf(limits: Limits, { workers }: Part): Limits {
  if (workers === 1) return limits;
  const divided = DIVIDED.map((name) => [name, Math.ceil(limits[name] / workers)]);
  return { ...limits, ...Object.fromEntries(divided) };
}
