import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The memory limit of the service in compose.yaml. */
export const LIMIT_BYTES = 2 * 1024 ** 3;

const CONTROL_GROUPS = "/sys/fs/cgroup";
const NAME = `muster-check-${process.pid}`;

/** The folder of the control group for the limit, if this machine allows one: version 1, or the unified version 2. */
const folder = [`${CONTROL_GROUPS}/memory`, CONTROL_GROUPS].find(
  (each) => existsSync(join(each, "memory.limit_in_bytes")) || existsSync(join(each, "cgroup.subtree_control")),
);
let made: string | undefined;

/** Whether the services of this check have the memory limit. */
export function isLimited(): boolean {
  return made !== undefined;
}

/** Returns the words before a command line that runs it under the limit; none where no control group can be made. */
export function underLimit(): string[] {
  made ??= makeGroup();
  if (made === undefined) return [];
  return ["sh", "-c", `echo $$ >${join(made, "cgroup.procs")}; exec "$@"`, "limited"];
}

/** Removes the control group, whose processes must have ended. */
export function removeLimit(): void {
  if (made !== undefined) rmdirSync(made);
  made = undefined;
}

function makeGroup(): string | undefined {
  if (folder === undefined) return undefined;
  const group = join(folder, NAME);
  try {
    mkdirSync(group);
    const file = ["memory.limit_in_bytes", "memory.max"].find((each) => existsSync(join(group, each)));
    if (file !== undefined) writeFileSync(join(group, file), String(LIMIT_BYTES));
    if (file !== undefined) return group;
    rmdirSync(group);
  } catch {
    // Neither root nor a sandbox may be allowed to.
  }
  return undefined;
}

/** The memory of a process in megabytes: resident, and in proportion, where pages that others share count in part. */
export interface Memory {
  resident: number;
  proportional: number;
}

export function memoryOf(pid: number): Memory {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const of = (name: string) =>
    Math.round((Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)![1]) * 1024) / 1e6);
  return { resident: of("Rss"), proportional: of("Pss") };
}
