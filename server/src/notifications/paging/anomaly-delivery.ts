import { createHash } from "node:crypto";
import type { NewDelivery } from "../delivery/delivery-store.ts";
import { type AnomalyMessage, namedDevice } from "../message.ts";
import type { PagedAnomaly } from "./paged-anomaly-store.ts";
import type { Recipient } from "./recipients.ts";

/**
 * Builds a message about an anomaly to one recipient. If two groups notify the same person about the same step, one
 * message is sent. A webhook gets one per group or user, since each signs with its own secret.
 *
 * @param round how often the step was made due again after a snooze
 * @param step the delay of the escalation step in minutes, 0 for a resolution
 */
export function anomalyDelivery(
  type: AnomalyMessage["type"],
  anomaly: PagedAnomaly,
  group: { id: string; name: string },
  to: Recipient,
  { id, now, step, round = 0 }: { id: string; now: Date; step: number | "last resort"; round?: number },
): NewDelivery {
  const address = to.channel === "webhook" ? [to.target, to.userId ?? group.id] : [to.target.toLowerCase()];
  const again = round === 0 ? [] : [round];
  const key = JSON.stringify([anomaly.id, type, step, to.channel, ...address, ...again]);
  return {
    id,
    tenantId: anomaly.tenant_id,
    channel: to.channel,
    target: to.target,
    userId: to.userId,
    groupId: group.id,
    anomalyId: anomaly.id,
    ...(step === "last resort" ? {} : { step }),
    dedupe: createHash("sha256").update(key).digest(),
    message: {
      type,
      at: (type === "anomaly.resolved" ? (anomaly.resolved_at ?? now) : anomaly.opened_at).toISOString(),
      timeZone: to.timeZone,
      group: { id: group.id, name: group.name },
      device: namedDevice(anomaly),
      anomaly: {
        id: anomaly.id,
        severity: anomaly.severity,
        message: anomaly.message,
        metric: anomaly.metric,
        ...(anomaly.label !== null && { label: anomaly.label }),
        ...(anomaly.unit !== null && { unit: anomaly.unit }),
        value: anomaly.value,
        limit: anomaly.breached,
        openedAt: anomaly.opened_at.toISOString(),
        resolvedAt: anomaly.resolved_at?.toISOString() ?? null,
        resolvedBy: anomaly.resolved_by,
      },
      ...(step === "last resort" ? { lastResort: true } : {}),
    },
  };
}
