import { z } from "zod";
import { records } from "../../lib/limits/records.ts";
import { overviewUseCases } from "../../overview/overview.ts";
import { adminRoute } from "../route.ts";
import { id, timestamp } from "../shapes.ts";

const TAG = "Overview";
const count = z.int().min(0);

const overview = z
  .strictObject({
    at: timestamp,
    devices: z.strictObject({
      total: count,
      connectivity: z.strictObject({ never_seen: count, online: count, offline: count }),
      certificates: z.strictObject({
        none: count,
        active: count,
        renewal_due: count,
        expiring: count,
        expired: count,
        revoked: count,
      }),
      renewalsOverdue: count,
      expiry: z
        .array(z.strictObject({ from: timestamp, selfEnrolled: count, platform: count }))
        .meta({ description: "For each of the next twelve weeks, the devices whose last certificate expires in it" }),
    }),
    anomalies: z.strictObject({
      open: z.strictObject({ critical: count, major: count, minor: count, warning: count }),
      acknowledged: count,
    }),
    tickets: z.strictObject({
      open: count,
      in_progress: count,
      on_hold: count,
      overdue: count.meta({ description: "Unfinished tickets past their due date" }),
      unassigned: count.meta({ description: "Unassigned, unfinished tickets" }),
    }),
    refusedLastDay: count.meta({ description: "Refused clients in the last 24 hours, as counted in the journal" }),
    paging: z
      .strictObject({
        mailServer: z.boolean().meta({ description: "Whether e-mails can be sent" }),
        unreached: count.meta({ description: "Open anomalies whose pages reached nobody; at most 1,000" }),
        silentGroups: count.meta({ description: "Groups with devices, but without an escalation" }),
        channels: z
          .strictObject({ failing: count, unconfirmed: count })
          .nullable()
          .meta({ description: "Channels of groups; null for users who are not admins" }),
      })
      .meta({ description: "What keeps pages from reaching people" }),
    findings: z.strictObject({
      shared_key: count,
      publishes_nowhere: count,
      renewal_overdue: count,
      bundle_expiring: count,
      clock_replaced: count,
      values_rejected: count,
    }),
    openClaims: count.nullable().meta({ description: "Null for users who may not see claims" }),
    serviceAccounts: z
      .strictObject({ withoutContact: count, ending: count.meta({ description: "Within 30 days" }) })
      .nullable()
      .meta({ description: "Service accounts that need a person; null for users who are not admins" }),
  })
  .meta({ id: "Overview" });

const found = z
  .strictObject({
    kind: z.enum([
      "device",
      "certificate",
      "ticket",
      "group",
      "shift",
      "device_type",
      "threshold",
      "claim",
      "mqtt_client",
      "user",
    ]),
    id,
    title: z.string(),
  })
  .meta({ id: "FoundRecord" });

const EXAMPLE = {
  at: "2026-11-20T10:00:00.000Z",
  devices: {
    total: 120,
    connectivity: { never_seen: 2, online: 115, offline: 3 },
    certificates: { none: 1, active: 110, renewal_due: 4, expiring: 3, expired: 1, revoked: 1 },
    renewalsOverdue: 1,
    expiry: [{ from: "2026-11-20T10:00:00.000Z", selfEnrolled: 4, platform: 1 }],
  },
  anomalies: { open: { critical: 0, major: 2, minor: 1, warning: 0 }, acknowledged: 3 },
  tickets: { open: 2, in_progress: 1, on_hold: 0, overdue: 1, unassigned: 2 },
  refusedLastDay: 1,
  paging: { mailServer: true, unreached: 0, silentGroups: 1, channels: { failing: 0, unconfirmed: 1 } },
  findings: {
    shared_key: 0,
    publishes_nowhere: 1,
    renewal_overdue: 1,
    bundle_expiring: 0,
    clock_replaced: 0,
    values_rejected: 0,
  },
  openClaims: 1,
  serviceAccounts: { withoutContact: 0, ending: 1 },
};

export const getOverview = adminRoute({
  useCase: overviewUseCases.readOverview,
  operationId: "getOverview",
  method: "GET",
  path: "/api/admin/overview",
  tag: TAG,
  summary: "Show what needs attention",
  description: "The numbers of the home screen, counting only what the user can see. Each is the total of a list.",
  status: 200,
  response: overview,
  errors: [],
  examples: { response: EXAMPLE },
  handler: (caller, _input, readOverview) => readOverview(caller),
});

export const search = adminRoute({
  useCase: overviewUseCases.search,
  operationId: "search",
  method: "GET",
  path: "/api/admin/search",
  tag: TAG,
  summary: "Search records of every kind",
  description:
    "At most five records of each kind whose name contains the text, or whose id equals it; certificates also by serial number or fingerprint, unfinished tickets also by number. If there are very many devices, only the newest are searched; `GET /api/admin/devices` searches all.",
  query: z.strictObject({ q: z.string().max(records.searchCharacters.value) }),
  status: 200,
  response: z
    .strictObject({
      items: z.array(found),
    })
    .meta({ id: "SearchResult" }),
  errors: [],
  examples: { response: { items: [{ kind: "device", id: "pump-1", title: "Feed pump 1" }] } },
  handler: async (caller, { query }, search) => ({ items: await search(caller, query.q) }),
});
