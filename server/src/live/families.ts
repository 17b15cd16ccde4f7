import { type AccessRule, type Caller, requireMay } from "../access/access.ts";
import type { EventFamily } from "../events/events.ts";
import { invalidRequest } from "../lib/request-errors.ts";

/** Family of events, the part of a kind before the dot → who may follow it. */
const FAMILIES: Readonly<Record<EventFamily | "telemetry", AccessRule>> = {
  anomaly: { scope: "anomalies:read", role: "viewer" },
  ticket: { scope: "tickets:read", role: "viewer" },
  device: { scope: "devices:read", role: "viewer" },
  telemetry: { scope: "telemetry:read", role: "viewer" },
  certificate: { scope: "device-certificates:read", role: "viewer" },
  finding: { scope: "device-certificates:read", role: "viewer" },
};
const RULES = new Map<string, AccessRule>(Object.entries(FAMILIES));

/**
 * Refuses a caller who may not follow every one of `kinds`; absent: of all families.
 *
 * @throws MusterError insufficient_scope, insufficient_role; invalid_request for a kind of no family
 */
export function requireKinds(caller: Caller, kinds: readonly string[] | undefined): void {
  const families = kinds?.map((kind) => kind.split(".")[0]!) ?? RULES.keys();
  for (const family of families) {
    const rule = RULES.get(family);
    if (rule === undefined) throw invalidRequest("There are no such events.", family);
    requireMay(caller, rule);
  }
}
