import type { Rule } from "../../src/rules/rules.ts";
import type { CrashFixture } from "../harness/crash.ts";
import { Publisher } from "./publisher.ts";

/** A device that publishes, and the limits that watch it. */
export interface Watched {
  publisher: Publisher;
  rules: Rule[];
}

/** The reading of those that page rises by 1 so often. */
export const STEP = 30;

const RULES_OF_PACK = 50;

/** A device that says 0 to 19, and again: what is wrong with it comes and goes. Nobody is told. */
export const TOOTH = 20;
export function saw(world: CrashFixture): Promise<Watched> {
  const rule = { metric: "tooth", operator: "gt", severity: "minor" };
  const rules = [
    { ...rule, value: 14 },
    { ...rule, value: 4, clearValue: 2, forSeconds: 1 },
    { ...rule, value: 17, clearForSeconds: 1 },
  ];
  return watched(world, (n) => ({ tooth: n % TOOTH }), rules, []);
}

/** A device whose reading rises: each of `count` limits, `apart` from each other, is crossed once and stays so. */
export function rising(world: CrashFixture, count: number, apart: number, channel: object): Promise<Watched> {
  const rule = { metric: "level", operator: "gt", severity: "major" };
  const rules = Array.from({ length: count }, (_, at) => ({ ...rule, value: at * apart }));
  return watched(world, (n) => ({ level: Math.floor(n / STEP) }), rules, [channel]);
}

async function watched(
  world: CrashFixture,
  reading: (n: number) => object,
  rules: object[],
  channels: object[],
): Promise<Watched> {
  const publisher = new Publisher(await world.enroll(), reading);
  const packs: { id: string; rules: Rule[] }[] = [];
  for (let from = 0; from < rules.length; from += RULES_OF_PACK) {
    const some = { name: "Limits", rules: rules.slice(from, from + RULES_OF_PACK) };
    packs.push(await world.done("POST", "thresholds", some));
  }
  const escalation = channels.length > 0 ? [{ afterMinutes: 0, notify: "channels" }] : [];
  const group = await world.done("POST", "groups", { name: "Plant", channels, escalation });
  const change = { name: "Pump", groupIds: [group.id], thresholdIds: packs.map(({ id }) => id) };
  await world.done("PUT", `devices/${publisher.deviceId}`, change);
  return { publisher, rules: packs.flatMap((pack) => pack.rules) };
}
