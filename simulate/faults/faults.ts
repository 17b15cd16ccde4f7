import { writeFile } from "node:fs/promises";
import { unlessEnded } from "../../load/interrupt.ts";
import { Fleet } from "../clients/fleet.ts";
import type { LoadPlan } from "../clients/protocol.ts";
import type { Options } from "../options.ts";
import { openTarget, type Target } from "../target/target.ts";
import { FAULTS, type FaultKind } from "./draw.ts";
import { FaultCourse } from "./run.ts";
import { faultJson, faultReport } from "./table.ts";

/** Devices for each twin. */
const DEVICES_OF_TWIN = 50;

/** `--faults`: kills, cuts and pauses of every kind of part, while devices publish. @returns the exit code */
export async function simulateFaults(
  options: Options,
  planOf: (target: Target, options: Options) => LoadPlan,
  progress: (line: string) => void,
): Promise<number> {
  const { start, workers, nats, devices, processes } = options;
  const twins = Math.max(2, Math.ceil(devices / DEVICES_OF_TWIN));
  const all = await openTarget({ ...options, devices: devices + twins }, progress);
  let fleet: Fleet | undefined;
  try {
    const target = { ...all, devices: all.devices.slice(0, devices) };
    fleet = await Fleet.start(planOf(target, options), processes);
    const given = { fleet, target, cluster: all.own!.cluster, options, kinds: kindsOf(options), progress };
    const run = await unlessEnded(new FaultCourse(given, all.devices.slice(devices)).run());
    const parts = `${start} nodes of ${workers} workers, ${nats} NATS servers, seed ${options.seed}`;
    console.log(faultReport(run, `${devices} devices, a message every ${options.every} s, ${parts}`));
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(faultJson(run), null, 2)}\n`);
    return run.failures.length === 0 && run.results.every(({ failures }) => failures.length === 0) ? 0 : 1;
  } finally {
    progress("cleaning up");
    await fleet?.stop();
    await all.close();
  }
}

/** Returns the kinds that can happen to the started parts. */
function kindsOf({ faultKinds, nats, ingest }: Options): FaultKind[] {
  const all = Object.keys(FAULTS) as FaultKind[];
  const chosen = faultKinds.length > 0 ? all.filter((kind) => faultKinds.includes(kind)) : all;
  const hasStream = ingest === "stream";
  return chosen.filter((kind) => (nats > 0 || !kind.startsWith("nats")) && (hasStream || kind !== "nats leader"));
}
