import { invalidRequest } from "../lib/request-errors.ts";
import { LIMITS } from "./limits.ts";

/**
 * The recipients to notify of an anomaly still unacknowledged after `afterMinutes`: users on shift, all members, or the
 * channels.
 */
export interface EscalationStep {
  afterMinutes: number;
  notify: "shift" | "members" | "channels";
}

/** The pages of a group that users' quiet choices cannot defer. */
export const ALWAYS_PAGES = ["all", "critical", "none"] as const;
export type AlwaysPages = (typeof ALWAYS_PAGES)[number];

/** @throws MusterError invalid_request with the place of the invalid step in `detail` */
export function checkEscalation(steps: readonly EscalationStep[]): EscalationStep[] {
  if (steps.length > LIMITS.stepsOfGroup)
    throw invalidRequest(`a group has at most ${LIMITS.stepsOfGroup} escalation steps`, "escalation");
  let before = -1;
  return steps.map(({ afterMinutes, notify }, index) => {
    const where = `escalation.${index}.afterMinutes`;
    if (!Number.isInteger(afterMinutes) || afterMinutes < 0 || afterMinutes > LIMITS.afterMinutes)
      throw invalidRequest(`${where} must be a whole number from 0 to ${LIMITS.afterMinutes}`, where);
    if (afterMinutes <= before) throw invalidRequest(`${where} must be later than the previous step`, where);
    before = afterMinutes;
    return { afterMinutes, notify };
  });
}
