import { boundedToGroupsOf, groupsOfViewer, useCase } from "../../access/access.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import type { CertificateState } from "../certificate-state-store.ts";
import type { DevicesDeps } from "../deps.ts";
import type { Connectivity } from "../device-view-store.ts";
import { countDeviceRows, countExpiryRows } from "./count-store.ts";

/** The time after `renewAfterUtc` at which a renewal is overdue. */
export const OVERDUE_MS = DAY;
const WEEKS = 12;

export interface DeviceCounts {
  total: number;
  connectivity: Record<Connectivity, number>;
  certificates: Record<CertificateState, number>;
  /** The number of devices whose renewal is overdue by at least a day. */
  renewalsOverdue: number;
  /** The next twelve weeks: how many devices have their last certificate expire in each, by its kind. */
  expiry: { from: Date; selfEnrolled: number; platform: number }[];
}

/** Counts the devices that the caller sees. */
export const countDevices = useCase(
  { scope: "devices:read", role: "viewer" },
  async ({ database: { db }, clock }: DevicesDeps, caller): Promise<DeviceCounts> => {
    const now = clock.now();
    const viewer = await groupsOfViewer(db, boundedToGroupsOf(caller));
    const ending = { from: now, until: addMs(now, WEEKS * 7 * DAY) };
    const counted = await countDeviceRows(db, caller.tenantId, viewer, { now, overdueBefore: addMs(now, -OVERDUE_MS) });
    const expiring = await countExpiryRows(db, caller.tenantId, viewer, ending);
    const connectivity = { never_seen: 0, online: 0, offline: 0 };
    const certificates = { none: 0, active: 0, renewal_due: 0, expiring: 0, expired: 0, revoked: 0 };
    let [total, renewalsOverdue] = [0, 0];
    for (const row of counted) {
      const devices = Number(row.devices);
      total += devices;
      connectivity[row.connectivity] += devices;
      certificates[row.state] += devices;
      renewalsOverdue += Number(row.overdue);
    }
    const endingIn = (week: number, kind: string) =>
      Number(expiring.find((row) => row.week === week && row.kind === kind)?.devices ?? 0);
    const expiry = Array.from({ length: WEEKS }, (_, week) => ({
      from: addMs(now, week * 7 * DAY),
      selfEnrolled: endingIn(week, "self_enrolled"),
      platform: endingIn(week, "platform"),
    }));
    return { total, connectivity, certificates, renewalsOverdue, expiry };
  },
);
