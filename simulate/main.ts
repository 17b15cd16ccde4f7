/** `npm run simulate`: simulated devices against Muster, and what they notice of it. `-- --help` lists the options. */
import { writeFile } from "node:fs/promises";
import { unlessEnded } from "../load/interrupt.ts";
import { progressTo } from "../load/measure.ts";
import { Fleet } from "./clients/fleet.ts";
import type { LoadPlan, Qos } from "./clients/protocol.ts";
import { runCourse } from "./course.ts";
import { simulateFaults } from "./faults/faults.ts";
import { HELP } from "./option-texts.ts";
import { type Options, parseOptions, UsageError } from "./options.ts";
import { reportJson, reportText } from "./report.ts";
import { collectResults } from "./results.ts";
import { openTarget, type Target } from "./target/target.ts";

const progress = progressTo(console.error);

/** @returns the exit code */
async function simulate(options: Options): Promise<number> {
  if (options.faults > 0) return await simulateFaults(options, planOf, progress);
  const target = await openTarget(options, progress);
  let fleet: Fleet | undefined;
  try {
    fleet = await Fleet.start(planOf(target, options), options.processes);
    const course = await unlessEnded(runCourse({ fleet, target, options, progress }));
    progress("comparing what was sent, stored and received");
    const results = await unlessEnded(collectResults(course, fleet, target, options));
    console.log(reportText(course.phases, results, options));
    const { json } = options;
    if (json !== undefined)
      await writeFile(json, `${JSON.stringify(reportJson(course.phases, results, options), null, 2)}\n`);
    return results.failures.length === 0 ? 0 : 1;
  } finally {
    progress("cleaning up");
    await fleet?.stop();
    await target.close();
  }
}

function planOf({ addresses, devices, gateways }: Target, { start, every, metrics, commands, qos }: Options): LoadPlan {
  const ca = devices[0]!.ca;
  return {
    addresses,
    devices: devices.map((identity, home) => ({ identity, home, qos: qosOf(qos, home, devices.length) })),
    gateways: gateways.map((gateway, home) => ({ gateway, ca, home })),
    topics: devices.map(({ topic }) => topic),
    every,
    metrics,
    // One machine has one clock: times of arrival show the order and repetitions.
    hasOwnTimes: start === undefined,
    receivesCommands: commands > 0,
  };
}

/** Returns the QoS of a device: the first devices have the first one, and so on, each its share. */
function qosOf(mix: Options["qos"], index: number, devices: number): Qos {
  let end = 0;
  for (const { qos, share } of mix) {
    end += share * devices;
    if (index < Math.round(end)) return qos;
  }
  return mix.at(-1)!.qos;
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const options = parseOptions(args);
    if (options !== "help") return await simulate(options);
    console.log(HELP);
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) {
      console.error(`The run could not be completed: ${(error as Error).message}`);
      return 3;
    }
    console.error(`${error.message}\nnpm run simulate -- --help lists the options.`);
    return 2;
  }
}

process.exit(await main(process.argv.slice(2)));
