import { readFileSync } from "node:fs";
import { childrenOf } from "../measure.ts";

/** Process id of a worker of a service of several processes; undefined while it is not running. @param name `jobs`, `serve-1` */
export function workerPid(supervisorPid: number, name: string): number | undefined {
  // A worker that ends is replaced, by any thread of the supervisor.
  return childrenOf(supervisorPid).find((pid) => nameOf(pid) === name);
}

function nameOf(pid: number): string | undefined {
  try {
    return /child\.ts\0\w+\0([\w-]+)\0/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1];
  } catch {
    // It has ended.
    return undefined;
  }
}
