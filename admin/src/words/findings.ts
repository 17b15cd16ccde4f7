import type { Schemas } from "../api/client.ts";

/** Titles of what is wrong with devices that work. */
export const FINDINGS: Readonly<Record<Schemas["Finding"]["kind"], string>> = {
  shared_key: "Another device has the same key",
  publishes_nowhere: "The device may publish nowhere",
  renewal_overdue: "The renewal of the certificate is overdue",
  bundle_expiring: "The bundle of the device ends soon",
  clock_replaced: "The clock of the device is wrong",
};
