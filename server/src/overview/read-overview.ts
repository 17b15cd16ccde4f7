import { boundedToGroupsOf, type Caller, isAdmitted, useCase } from "../access/access.ts";
import type { DeviceCounts } from "../devices/devices.ts";
import { addMs, DAY } from "../lib/clock.ts";
import type { PagingProblems } from "../notifications/notifications.ts";
import type { OverviewDeps } from "./deps.ts";
import { countFindingRows, type ListedFindingKind } from "./finding-store.ts";
import { findingScope } from "./list-findings.ts";
import { SharedReads } from "./shared-reads.ts";

const NONE = { skip: 0, limit: 1 };
const SEVERITIES = ["critical", "major", "minor", "warning"] as const;
const UNFINISHED = ["open", "in_progress", "on_hold"] as const;

/** The numbers on the home screen, as far as the caller may see them. */
export interface Overview {
  at: Date;
  devices: DeviceCounts;
  anomalies: { open: Record<(typeof SEVERITIES)[number], number>; acknowledged: number };
  tickets: Record<(typeof UNFINISHED)[number], number> & { overdue: number; unassigned: number };
  /** The number of refusal journal entries that began in the last 24 hours. */
  refusedLastDay: number;
  paging: PagingProblems;
  findings: Record<ListedFindingKind, number>;
  /** The number of claims that can be redeemed now; null if the caller may not see claims. */
  openClaims: number | null;
  /** The service accounts that need a person; null for users who are not admins. */
  serviceAccounts: { withoutContact: number; ending: number } | null;
}

const sharedReads = new SharedReads<Overview>();

/**
 * Returns what needs attention, in numbers. Each number is the total of a list that can be opened. It takes a dozen
 * statements, so concurrent requests of a tenant share them and cannot occupy the connections of all tenants.
 */
export const readOverview = useCase({ role: "viewer" }, async (deps: OverviewDeps, caller): Promise<Overview> => {
  const seen = boundedToGroupsOf(caller) ?? "all";
  return await sharedReads.read(deps.database.db, caller.tenantId, seen, () => readNumbers(deps, caller));
});

async function readNumbers(deps: OverviewDeps, caller: Caller): Promise<Overview> {
  const { anomalies, connections, devices, tickets } = deps;
  const now = deps.clock.now();
  const [counts, open, acknowledged, unfinished, overdue, unassigned, refused, findings, openClaims, paging, accounts] =
    await Promise.all([
      devices.countDevices(caller),
      Promise.all(SEVERITIES.map((severity) => anomalies.listAnomalies(caller, { status: "open", severity, ...NONE }))),
      anomalies.listAnomalies(caller, { status: "acknowledged", ...NONE }),
      Promise.all(UNFINISHED.map((status) => tickets.listTickets(caller, { status, ...NONE }))),
      tickets.listTickets(caller, { overdue: true, ...NONE }),
      tickets.listTickets(caller, { status: UNFINISHED, assigneeUserId: null, ...NONE }),
      connections.listRefusals(caller, { from: addMs(now, -DAY), ...NONE }),
      countFindingRows(deps.database.db, findingScope(caller, now)),
      countOpenClaims(deps, caller),
      deps.notifications.readPagingProblems(caller),
      countAccountProblems(deps, caller),
    ]);
  return {
    at: now,
    devices: counts,
    anomalies: { open: totals(SEVERITIES, open), acknowledged: acknowledged.total },
    tickets: { ...totals(UNFINISHED, unfinished), overdue: overdue.total, unassigned: unassigned.total },
    refusedLastDay: refused.total,
    paging,
    findings,
    openClaims,
    serviceAccounts: accounts,
  };
}

function totals<Name extends string>(names: readonly Name[], pages: readonly { total: number }[]) {
  return Object.fromEntries(names.map((name, at) => [name, pages[at]!.total])) as Record<Name, number>;
}

async function countOpenClaims({ access }: OverviewDeps, caller: Caller): Promise<number | null> {
  if (!isAdmitted(caller, access.tenantUsage)) return null;
  const usage = await access.tenantUsage(caller);
  return usage.find(({ quota }) => quota === "openClaims")!.used;
}

async function countAccountProblems({ access }: OverviewDeps, caller: Caller): Promise<Overview["serviceAccounts"]> {
  return isAdmitted(caller, access.countServiceAccountProblems)
    ? await access.countServiceAccountProblems(caller)
    : null;
}
