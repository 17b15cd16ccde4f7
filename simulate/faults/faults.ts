import { writeFile } from "node:fs/promises";
import { unlessEnded } from "../../load/interrupt.ts";
import { Fleet } from "../load/fleet.ts";
import type { LoadPlan } from "../load/protocol.ts";
import type { Options } from "../options.ts";
import { openOwn, type Target } from "../target/target.ts";
import { FaultyCluster } from "./cluster.ts";
import { FAULTS, type FaultKind } from "./draw.ts";
import { FaultCourse } from "./run.ts";
import { faultJson, faultReport } from "./table.ts";

/** One twin for so many devices. */
const DEVICES_OF_TWIN = 50;

/**
 * `--faults`: kills, cuts and pauses of every kind of part, while devices publish.
 *
 * @param planOf of the load. @returns the exit code
 */
export async function simulateFaults(
  options: Options,
  planOf: (target: Target) => LoadPlan,
  progress: (line: string) => void,
): Promise<number> {
  const { start, workers, nats, ingest, devices, processes } = options;
  const cluster = await FaultyCluster.start({ nodes: start!, workers, nats, ingest }, progress);
  let fleet: Fleet | undefined;
  let target: Target | undefined;
  try {
    const twins = Math.max(2, Math.ceil(devices / DEVICES_OF_TWIN));
    target = await openOwn(cluster, { ...options, devices: devices + twins }, progress);
    const own = { ...target, devices: target.devices.slice(0, devices) };
    fleet = await Fleet.start(planOf(own), processes);
    const kinds = kindsOf(options);
    const course = new FaultCourse(
      { fleet, target: own, cluster, options, kinds, progress },
      target.devices.slice(devices),
    );
    const run = await unlessEnded(course.run());
    const heading = `${devices} devices, a message every ${options.every} s, ${start} nodes of ${workers} workers, ${nats} NATS servers, seed ${options.seed}`;
    console.log(faultReport(run, heading));
    if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(faultJson(run), null, 2)}\n`);
    return run.failures.length === 0 && run.results.every(({ failures }) => failures.length === 0) ? 0 : 1;
  } finally {
    progress("cleaning up");
    await fleet?.stop();
    await (target ?? { close: () => cluster.stop() }).close();
  }
}

/** Kinds that can happen to what is started. */
function kindsOf({ faultKinds, nats, ingest }: Options): FaultKind[] {
  const all = Object.keys(FAULTS) as FaultKind[];
  const chosen = faultKinds.length > 0 ? all.filter((kind) => faultKinds.includes(kind)) : all;
  const hasStream = ingest === "stream";
  return chosen.filter((kind) => (nats > 0 || !kind.startsWith("nats")) && (hasStream || kind !== "nats leader"));
}
