/** A load process: the simulator sends its plan and then requests ({@link Load}), and ends it by disconnecting. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Load } from "./load.ts";
import type { LoadPlan } from "./protocol.ts";

/** A request of the simulator; the first one has the plan. */
export interface LoadCall {
  readonly id: number;
  readonly plan?: LoadPlan;
  readonly name?: keyof Load;
  readonly args?: readonly unknown[];
}

export interface LoadAnswer {
  readonly id: number;
  readonly value: unknown;
  /** The longest delay of this process's timers since its last answer, in milliseconds: its times include it. */
  readonly lateMs: number;
}

// Ctrl-C of a terminal is for the simulator, which then ends its processes.
process.on("SIGINT", () => undefined);
process.once("disconnect", () => process.exit());

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
let load: Load | undefined;

process.on("message", ({ id, plan, name, args = [] }: LoadCall) => {
  if (plan) load = new Load(plan);
  const request = name && (load![name] as (...args: unknown[]) => unknown);
  const value = request?.apply(load, [...args]);
  const lateMs = delay.max / 1e6;
  delay.reset();
  process.send!({ id, value, lateMs } satisfies LoadAnswer);
});
