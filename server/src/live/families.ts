import { type AccessRule, type Caller, requireMay } from "../access/access.ts";
import type { EventFamily, EventKind } from "../events/events.ts";
import { invalidRequest } from "../lib/request-errors.ts";

/** The access rule of each event family, which is the part of a kind before the dot. */
const FAMILIES: Readonly<Record<EventFamily | "telemetry", AccessRule>> = {
  anomaly: { scope: "anomalies:read", role: "viewer" },
  ticket: { scope: "tickets:read", role: "viewer" },
  device: { scope: "devices:read", role: "viewer" },
  telemetry: { scope: "telemetry:read", role: "viewer" },
  certificate: { scope: "device-certificates:read", role: "viewer" },
  finding: { scope: "device-certificates:read", role: "viewer" },
};

/** All kinds; the compiler demands new ones. A misspelled kind would produce a stream that never delivers an event. */
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
 * Refuses a caller who may not follow every one of `kinds`, or every family if omitted.
 *
 * @throws {MusterError} insufficient_scope, insufficient_role; invalid_request for an unknown kind or family
 */
export function requireKinds(caller: Caller, kinds: readonly string[] | undefined): void {
  for (const kind of kinds ?? [...RULES.keys()].map((family) => `${family}.`)) {
    const rule = RULES.get(kind.split(".")[0]!);
    const isFamily = kind.indexOf(".") === kind.length - 1;
    if (rule === undefined || !(isFamily || Object.hasOwn(KINDS, kind)))
      throw invalidRequest('Unknown events: give a kind such as "device.online", or a family such as "device.".', kind);
    requireMay(caller, rule);
  }
}
