import type { Limits } from "../lib/limits/limits.ts";

/**
 * Which part of the service a process is: all of it; or, where there are several workers, the control socket and the periodic jobs
 * (`jobs`), or the listeners for MQTT and HTTPS (`serve`).
 */
export type Role = "all" | "jobs" | "serve";

export interface Part {
  role: Role;
  /** How many processes serve. */
  workers: number;
  /** Restarts the workers one after the other; absent where there are none. @throws Error where a new worker does not start */
  restart?: (() => Promise<{ restarted: number }>) | undefined;
}

export const WHOLE: Part = { role: "all", workers: 1 };

/** Connections of a process to PostgreSQL; one more listens for notifications. */
export interface Pools {
  main: number;
  /** For authorizing MQTT connects. */
  connects: number;
}

const LISTENING = 1;
/** The more processes there are, the fewer connections each has: at most so many workers → pools. */
const POOLS: readonly [workers: number, Pools][] = [
  [1, { main: 10, connects: 4 }],
  [2, { main: 8, connects: 3 }],
  [4, { main: 5, connects: 2 }],
  [8, { main: 4, connects: 2 }],
  [Infinity, { main: 3, connects: 2 }],
];
const POOLS_OF_JOBS: Pools = { main: 5, connects: 2 };

export function poolsOf({ role, workers }: Part): Pools {
  return role === "jobs" ? POOLS_OF_JOBS : POOLS.find(([most]) => workers <= most)![1];
}

/** How many connections to PostgreSQL all processes have at most. */
export function connectionsNeeded(workers: number): number {
  const serve = sizeOf(poolsOf({ role: "serve", workers }));
  return workers === 1 ? serve : workers * serve + sizeOf(POOLS_OF_JOBS);
}

function sizeOf({ main, connects }: Pools): number {
  return main + connects + LISTENING;
}

/** Limits that hold for the service: the kernel divides new connections evenly, so each worker has its share. */
const DIVIDED = ["mqttConnectionsPerAddress", "mqttUnauthenticated", "httpsConnectionsPerAddress"] as const;

export function limitsOf(limits: Limits, { workers }: Part): Limits {
  if (workers === 1) return limits;
  const divided = DIVIDED.map((name) => [name, Math.ceil(limits[name] / workers)]);
  return { ...limits, ...Object.fromEntries(divided) };
}
