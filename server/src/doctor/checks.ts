import { CERTIFICATE_INVARIANTS } from "./certificate-checks-store.ts";
import type { Check } from "./check-store.ts";
import { MONITORING_INVARIANTS } from "./monitoring-checks-store.ts";
import { STORAGE_INVARIANTS } from "./storage-checks-store.ts";

export type { Check } from "./check-store.ts";
export { AVAILABILITY, TIMELINESS, WARNINGS } from "./service-checks-store.ts";

/** Invariants of stored data. Checking them reads whole tables. */
export const INVARIANTS: readonly Check[] = [
  ...CERTIFICATE_INVARIANTS,
  ...MONITORING_INVARIANTS,
  ...STORAGE_INVARIANTS,
];
