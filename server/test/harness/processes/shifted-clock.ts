/**
 * Loaded before a service (`node --import`): the clock starts at `CLOCK_BEGINS_AT` (ISO 8601) and continues from there,
 * in the embedded database too.
 */
import { pathToFileURL } from "node:url";
import { acceptAnyDate } from "./certificate-dates.ts";

const MachineDate = Date;
const begin = process.env.CLOCK_BEGINS_AT;

if (begin !== undefined) {
  const offset = MachineDate.parse(begin) - MachineDate.now();
  const now = () => MachineDate.now() + offset;
  globalThis.Date = new Proxy(MachineDate, {
    construct: (target, args) => Reflect.construct(target, args.length === 0 ? [now()] : args),
    apply: () => new MachineDate(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  acceptAnyDate();
}

/** Returns settings for a process whose clock starts at `at`. */
export function clockFrom(at: Date): Record<string, string> {
  return { NODE_OPTIONS: `--import=${pathToFileURL(import.meta.filename).href}`, CLOCK_BEGINS_AT: at.toISOString() };
}
