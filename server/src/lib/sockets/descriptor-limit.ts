import { readFileSync } from "node:fs";
import type { Limits } from "../limits/limits.ts";

/** For the database, files, the control socket and connections that are being closed. */
const OTHERS = 500;

/** How many files and sockets this process may have open at once (`ulimit -n`); undefined where the system does not say. */
export function descriptorLimit(read = () => readFileSync("/proc/self/limits", "utf8")): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(read()) ?? [];
    if (soft === undefined) return undefined;
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many it needs where every cap on connections is reached. */
export function descriptorsNeeded(limits: Limits): number {
  return limits.mqttConnections + limits.mqttUnauthenticated + limits.httpsConnections + OTHERS;
}
