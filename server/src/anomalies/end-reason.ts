import type { AnomaliesTable } from "../db/schema.generated.ts";

/**
 * The reason the service resolved an anomaly whose values had not recovered: a code, stored by whichever function or
 * trigger ends the evaluation.
 */
export type EndReason = NonNullable<AnomaliesTable["end_reason"]>;

const REASONS: Readonly<Record<EndReason, string>> = {
  pack_unassigned_from_device: "its threshold pack was unassigned from the device",
  pack_unassigned_from_device_type: "its threshold pack was unassigned from the device type",
  device_type_changed: "the device has another type",
  rule_changed: "its rule was changed",
  pack_disabled: "its threshold pack was disabled",
  pack_deleted: "its threshold pack was deleted",
  silence_allowed: "the device type no longer limits silence",
  renewals_not_paged: "no group of the device is paged about lost renewals any more",
};

/** Returns the comment of an anomaly that ended for `reason` and has no comment from a person. */
export function endComment(reason: EndReason): string {
  return `No longer evaluated: ${REASONS[reason]}.`;
}
