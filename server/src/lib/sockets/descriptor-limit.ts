import { readFileSync } from "node:fs";
import type { Limits } from "../limits/limits.ts";

/** Descriptors for the database, files, the control socket and connections that are being closed. */
const OTHERS = 500;

/**
 * Returns how many files and sockets this process may have open at once (`ulimit -n`); `undefined` if the system does
 * not say.
 */
export function descriptorLimit(read = () => readFileSync("/proc/self/limits", "utf8")): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\S+)/m.exec(read()) ?? [];
    if (soft === undefined) return undefined;
    return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return undefined;
  }
}

/** Returns how many descriptors the process needs if every cap on connections is reached. */
export function descriptorsNeeded(limits: Limits): number {
  return limits.mqttConnections + limits.mqttUnauthenticated + limits.httpsConnections + OTHERS;
}
