import { addMs, MINUTE } from "../../lib/clock.ts";
import type { NotificationsDeps } from "../deps.ts";
import type { Lease } from "./claim-store.ts";

/** Longer than an attempt takes. The lease of a stopped process ends immediately. */
const LEASE_MS = MINUTE;

export function leaseOf({ clock, nodeId }: NotificationsDeps): Lease {
  const now = clock.now();
  return { now, until: addMs(now, LEASE_MS), by: nodeId() ?? null };
}
