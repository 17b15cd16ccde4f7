import { readdirSync, readFileSync } from "node:fs";

/** Process id of a worker of a service of several processes; undefined while it is not running. @param name `jobs`, `serve-1` */
export function workerPid(supervisorPid: number, name: string): number | undefined {
  return childrenOf(supervisorPid).find((pid) => nameOf(pid) === name);
}

/** A worker that ends is replaced: the file names the children of the supervisor's threads. */
function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

function nameOf(pid: number): string | undefined {
  try {
    return /child\.ts\0\w+\0([\w-]+)\0/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.[1];
  } catch {
    // It has ended.
    return undefined;
  }
}
