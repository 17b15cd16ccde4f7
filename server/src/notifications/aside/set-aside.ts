import { adminUseCase, boundedToGroupsOf, type Caller, type PreparedChange, useCase } from "../../access/access.ts";
import { shareLockAnomalies } from "../../anomalies/anomalies.ts";
import type { Tx } from "../../db/database.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import type { NotificationsDeps } from "../deps.ts";
import { lockPaging, releaseHeld } from "../holds/hold-store.ts";
import {
  type Aside,
  type AsideAnomaly,
  findAsideAnomaly,
  readAsideOf,
  restartSteps,
  setMute,
  setSnooze,
} from "./aside-store.ts";

const MAY = { scope: "anomalies:write", role: "operator" } as const;

/** Returns until when an anomaly is snoozed and its rule muted on its device. @throws MusterError not_found */
export const getAnomalyPaging = useCase(
  { scope: "anomalies:read", role: "viewer" },
  async ({ clock, database: { db } }: NotificationsDeps, caller, id: string): Promise<Aside> => {
    const found = isUuid(id) && (await findAsideAnomaly(db, caller.tenantId, id, boundedToGroupsOf(caller)));
    if (!found) throw notFound("anomaly");
    return await readAsideOf(db, id, clock.now());
  },
);

/**
 * Snoozes an open anomaly: it pages again from its first step when the snooze ends. `null` ends the snooze now.
 *
 * @throws MusterError not_found; invalid_request
 */
export const snoozeAnomaly = adminUseCase(
  MAY,
  "anomaly.snooze",
  async (deps: NotificationsDeps, caller, id: string, until: Date | null): Promise<PreparedChange<Aside>> =>
    setAside(deps, caller, id, until, async (tx, anomaly, now) => {
      checkUntil(until, now, records.snoozeDays.value);
      if (until !== null && anomaly.status !== "open") throw invalidRequest("Only an open anomaly can be snoozed.");
      await setSnooze(tx, id, until, caller.actor);
      if (until === null) await releaseHeld(tx, caller.tenantId, "snooze", now);
      else await restartSteps(tx, id, until);
    }),
);

/**
 * Mutes the rule of an anomaly on its device: it opens anomalies, but pages nobody until the mute ends. `null` ends the
 * mute now.
 *
 * @throws MusterError not_found; invalid_request
 */
export const muteRule = adminUseCase(
  MAY,
  "anomaly.mute",
  async (deps: NotificationsDeps, caller, id: string, until: Date | null): Promise<PreparedChange<Aside>> =>
    setAside(deps, caller, id, until, async (tx, anomaly, now) => {
      checkUntil(until, now, records.muteDays.value);
      if (until !== null && anomaly.isLostRenewal) throw invalidRequest("An overdue renewal cannot be muted.");
      await setMute(tx, id, until, caller.actor);
      await releaseHeld(tx, caller.tenantId, "mute", now);
    }),
);

function setAside(
  { clock }: NotificationsDeps,
  caller: Caller,
  id: string,
  until: Date | null,
  change: (tx: Tx, anomaly: AsideAnomaly, now: Date) => Promise<void>,
): PreparedChange<Aside> {
  if (!isUuid(id)) throw notFound("anomaly");
  return {
    change: async (tx) => {
      const now = clock.now();
      await lockPaging(tx, caller.tenantId);
      await shareLockAnomalies(tx, [id]);
      const anomaly = await findAsideAnomaly(tx, caller.tenantId, id, boundedToGroupsOf(caller));
      if (!anomaly) throw notFound("anomaly");
      await change(tx, anomaly, now);
      const result = await readAsideOf(tx, id, now);
      const written = { resource: "anomaly", id, result: "updated" } as const;
      return { target: id, after: { until }, result, written };
    },
  };
}

/** @throws MusterError invalid_request */
function checkUntil(until: Date | null, now: Date, days: number): void {
  if (until === null) return;
  if (until <= now) throw invalidRequest("The end must be in the future.", "until");
  if (until > addMs(now, days * DAY)) throw invalidRequest(`The end is at most ${days} days ahead.`, "until");
}
