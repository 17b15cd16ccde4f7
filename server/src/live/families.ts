import { type AccessRule, type Caller, requireMay } from "../access/access.ts";
import type { EventFamily, EventKind } from "../events/events.ts";
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

/** Every kind there is: the compiler asks for a new one. A misspelled kind would be a stream on which nothing ever comes. */
const KINDS: Readonly<Record<EventKind | "telemetry.changed", true>> = {
  "anomaly.opened": true,
  "anomaly.acknowledged": true,
  "anomaly.resolved": true,
  "ticket.opened": true,
  "ticket.changed": true,
  "ticket.edited": true,
  "device.online": true,
  "device.offline": true,
  "telemetry.changed": true,
  "certificate.minted": true,
  "certificate.enrolled": true,
  "certificate.renewed": true,
  "certificate.revoked": true,
  "certificate.superseded_tried": true,
  "finding.shared_key": true,
};
const RULES = new Map<string, AccessRule>(Object.entries(FAMILIES));

/**
 * Refuses a caller who may not follow every one of `kinds`; absent: of all families.
 *
 * @throws MusterError insufficient_scope, insufficient_role; invalid_request for a kind or family that there is not
 */
export function requireKinds(caller: Caller, kinds: readonly string[] | undefined): void {
  for (const kind of kinds ?? [...RULES.keys()].map((family) => `${family}.`)) {
    const rule = RULES.get(kind.split(".")[0]!);
    const isFamily = kind.indexOf(".") === kind.length - 1;
    if (rule === undefined || !(isFamily || Object.hasOwn(KINDS, kind)))
      throw invalidRequest("There are no such events: name a kind like device.online, or a family with its dot.", kind);
    requireMay(caller, rule);
  }
}
