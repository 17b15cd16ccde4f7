import type { Schemas } from "../api/client.ts";

type Kind = Schemas["Finding"]["kind"];
type ListedKind = keyof Schemas["Overview"]["findings"];

/** The titles of the findings that are listed over all devices. */
const LISTED_FINDINGS: Readonly<Record<ListedKind, string>> = {
  shared_key: "Another device has the same key",
  publishes_nowhere: "The device may publish nowhere",
  renewal_overdue: "The renewal of the certificate is overdue",
  bundle_expiring: "The bundle of the device ends soon",
  clock_replaced: "The clock of the device is wrong",
};

/** The titles of the findings that the list can be narrowed to. */
export const ASKED_FINDINGS: Readonly<Record<Exclude<Kind, "topics_changed">, string>> = {
  ...LISTED_FINDINGS,
  server_root_missing: "The device lacks the new server root",
};

export const FINDINGS: Readonly<Record<Kind, string>> = {
  ...ASKED_FINDINGS,
  topics_changed: "The topics of the device have changed since its certificate was issued",
};
