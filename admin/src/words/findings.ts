import { t } from "#texts/words.ts";
import type { Schemas } from "../api/client.ts";

type Kind = Schemas["Finding"]["kind"];
type ListedKind = keyof Schemas["Overview"]["findings"];

/** The titles of the findings that are listed over all devices. */
const LISTED_FINDINGS: Readonly<Record<ListedKind, string>> = {
  shared_key: t.anotherDeviceHasTheSame,
  publishes_nowhere: t.theDeviceMayPublishNowhere,
  renewal_overdue: t.theRenewalOfTheCertificate,
  bundle_expiring: t.theBundleOfTheDevice,
  clock_replaced: t.theClockOfTheDevice,
  values_rejected: t.valuesOfTheDeviceAreNot,
};

/** The titles of the findings that the list can be narrowed to. */
export const ASKED_FINDINGS: Readonly<Record<Exclude<Kind, "topics_changed">, string>> = {
  ...LISTED_FINDINGS,
  server_root_missing: t.theDeviceLacksTheNew,
};

export const FINDINGS: Readonly<Record<Kind, string>> = {
  ...ASKED_FINDINGS,
  topics_changed: t.theTopicsOfTheDevice,
};
