import { type AccessRule, type Caller, isAdmitted, useCase } from "../access/access.ts";
import { records } from "../lib/limits/records.ts";
import { invalidRequest } from "../lib/request-errors.ts";
import type { OverviewDeps } from "./deps.ts";
import { readTimelineRows, type TimelineRow, type TimelineSubject } from "./timeline-store.ts";

const MOST = records.entriesOfTimeline.value;

export interface TimelineQuery {
  /** The exclusive end of the timeline. Defaults to now. */
  before?: Date | undefined;
  /** 1 to 200, default 50. */
  limit?: number | undefined;
}

/** An event in the history of a device. */
export type TimelineEntry = TimelineRow;

/**
 * Lists the events of a device, newest first: connects (of the last 48 hours), certificates, anomalies, tickets,
 * refusals and findings, of those that the caller may read.
 *
 * @throws MusterError not_found, invalid_request
 */
export const listTimeline = useCase(
  { scope: "devices:read", role: "viewer" },
  async (deps: OverviewDeps, caller, deviceId: string, query: TimelineQuery): Promise<TimelineEntry[]> => {
    const { before = END, limit = 50 } = query;
    if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
      throw invalidRequest(`a timeline has 1 to ${MOST} entries`, "limit");
    const { id } = await deps.devices.getDevice(caller, deviceId);
    return await readTimelineRows(
      deps.database.db,
      { tenantId: caller.tenantId, id },
      { before, limit, subjects: subjectsOf(caller) },
    );
  },
);

/** The access rule of the records of each subject. */
const RULES: Readonly<Record<TimelineSubject, AccessRule>> = {
  device: { scope: "devices:read", role: "viewer" },
  certificate: { scope: "device-certificates:read", role: "viewer" },
  anomaly: { scope: "anomalies:read", role: "viewer" },
  ticket: { scope: "tickets:read", role: "viewer" },
  connection: { scope: "refusals:read", role: "viewer" },
  finding: { scope: "device-certificates:read", role: "viewer" },
};

function subjectsOf(caller: Caller): TimelineSubject[] {
  const subjects = Object.keys(RULES) as TimelineSubject[];
  return subjects.filter((subject) => isAdmitted(caller, { declaration: { may: RULES[subject] } }));
}

const END = new Date("9999-12-31T00:00:00Z");
