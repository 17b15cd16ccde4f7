import type { Rule } from "../../../src/rules/rules.ts";
import { confirmChannels } from "../../harness/confirm-channels.ts";
import type { Sinks } from "../../harness/http/sinks.ts";
import type { CrashFixture } from "../../harness/processes/crash.ts";
import { Publisher } from "./publisher.ts";

/** A device that publishes, and the rules that evaluate its readings. */
export interface MonitoredDevice {
  publisher: Publisher;
  rules: Rule[];
}

/** After this many messages the reading of a {@link risingDevice} rises by 1. */
export const STEP = 30;

const RULES_OF_PACK = 50;

export const TOOTH = 20;

/** Creates a device that publishes 0 to 19 repeatedly, so that its anomalies open and resolve. They page no person. */
export function sawtoothDevice(service: CrashFixture): Promise<MonitoredDevice> {
  const rule = { metric: "tooth", operator: "gt", severity: "minor" };
  const rules = [
    { ...rule, value: 14 },
    { ...rule, value: 4, clearValue: 2, forSeconds: 1 },
    { ...rule, value: 17, clearForSeconds: 1 },
  ];
  return monitored(service, (n) => ({ tooth: n % TOOTH }), rules);
}

/** Creates a device whose reading rises. It crosses each of `count` limits, spaced `apart`, once and stays above. */
export function risingDevice(
  service: CrashFixture,
  count: number,
  apart: number,
  { channel, sinks }: { channel: object; sinks: Sinks },
): Promise<MonitoredDevice> {
  const rule = { metric: "level", operator: "gt", severity: "major" };
  const rules = Array.from({ length: count }, (_, at) => ({ ...rule, value: at * apart }));
  return monitored(service, (n) => ({ level: Math.floor(n / STEP) }), rules, { channels: [channel], sinks });
}

async function monitored(
  service: CrashFixture,
  reading: (n: number) => object,
  rules: object[],
  { channels = [], sinks }: { channels?: object[]; sinks?: Sinks } = {},
): Promise<MonitoredDevice> {
  const publisher = new Publisher(await service.enroll(), reading);
  const packs: { id: string; rules: Rule[] }[] = [];
  for (let from = 0; from < rules.length; from += RULES_OF_PACK) {
    const some = { name: "Limits", rules: rules.slice(from, from + RULES_OF_PACK) };
    packs.push(await service.done("POST", "thresholds", some));
  }
  const escalation = channels.length > 0 ? [{ afterMinutes: 0, notify: "channels" }] : [];
  const group = await service.done("POST", "groups", { name: "Plant", channels, escalation });
  if (sinks) await confirmChannels(sinks, service.server.ca, group, () => service.done("GET", `groups/${group.id}`));
  const change = { name: "Pump", groupIds: [group.id], thresholdIds: packs.map(({ id }) => id) };
  await service.done("PUT", `devices/${publisher.deviceId}`, change);
  return { publisher, rules: packs.flatMap((pack) => pack.rules) };
}
