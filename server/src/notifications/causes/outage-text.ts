import type { OutagePage } from "./outage-store.ts";

const SHARED: Readonly<Record<OutagePage["kind"], (text: string) => string>> = {
  all: () => "nearly all that are watched",
  address: (address) => `behind ${address}`,
  block: (block) => `behind ${block}`,
  node: (node) => `connected to node ${node}`,
  batch: (claim) => `enrolled with claim ${claim}`,
  version: (version) => `with agent ${version}`,
  type: (type) => `of the type ${type}`,
  group: (group) => `in the group ${group}`,
};

/**
 * Returns what an outage's page says in place of device and message: `312 devices`, `silent since 14:03 UTC: all behind
 * 203.0.113.0/24 (312 of 318 there): Pump 1, Pump 2`. It names devices of the group only.
 */
export function outageText(page: OutagePage): { device_name: string; message: string } {
  const { kind, value, label, silent, explained, sharing, since, names, inGroup } = page;
  const all = explained === silent ? "all" : String(explained);
  const time = since.toISOString().slice(11, 16);
  const more = inGroup > names.length ? ` and ${inGroup - names.length} more` : "";
  const cause = `${all} ${SHARED[kind](label ?? value)} (${explained} of ${sharing} there)`;
  return {
    device_name: `${silent} devices`,
    message: `silent since ${time} UTC: ${cause}: ${names.join(", ")}${more}`,
  };
}
