/**
 * `muster …` with fault injection: `FAULT=<point>:kill9|throw|sleep:<ms>|hold` arms a fault before the start, and a
 * message from the parent process arms another at run time. `release` ends a fault that holds. Each fault occurs once.
 * Production starts through `bin/muster.mjs`, which has no faults.
 */
import { FAULT_POINTS, type FaultPoint, installFaultHook } from "../../../src/lib/fault-points.ts";

interface Fault {
  point: FaultPoint;
  action: string;
  ms: number;
}

function parse(text: string): Fault {
  const [point, action, ms] = text.split(":");
  const known = FAULT_POINTS.find((each) => each === point);
  if (known === undefined) throw new Error(`there is no fault point ${point}`);
  if (!["kill9", "throw", "sleep", "hold"].includes(action ?? "")) throw new Error(`there is no fault ${action}`);
  return { point: known, action: action!, ms: Number(ms ?? 0) };
}

let armed = process.env.FAULT ? parse(process.env.FAULT) : undefined;
let release: () => void = () => undefined;

installFaultHook((point) => {
  if (armed?.point !== point) return undefined;
  const fault = armed;
  armed = undefined;
  return happen(fault);
});

function happen({ point, action, ms }: Fault): Promise<void> {
  if (action === "throw") return Promise.reject(new Error(`a fault at ${point}`));
  if (action === "kill9") {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => undefined);
  }
  process.send?.(`reached ${point}`);
  return new Promise((resolve) => {
    if (action === "hold") release = resolve;
    else setTimeout(resolve, ms);
  });
}

process.on("message", (text: string) => {
  if (text === "release") return release();
  armed = parse(text);
  process.send?.("armed");
});
process.channel?.unref();

// @ts-expect-error the launcher is plain JavaScript so that old versions of Node can parse it
await import("../../../bin/muster.mjs");
