import { z } from "zod";
import { accessUseCases, TELEMETRY_RETENTIONS } from "../../access/access.ts";
import { QUOTA_NAMES } from "../../lib/limits/limits.ts";
import { adminRoute } from "../route.ts";
import { id, label, timestamp } from "../shapes.ts";

const TAG = "Tenant";

const lastResort = z
  .enum(["admins", "none"])
  .meta({ description: "Who is told by e-mail of a page that reached nobody: every admin, or none" });

const flapsAbove = z.int().min(0).max(60).meta({
  description:
    "The openings of one rule on one device within an hour beyond which it pages once, as flapping; 0 for never. Critical anomalies page each time",
});

const causeWaitMinutes = z.int().min(0).max(10).meta({
  description: "How long the page of a silent device waits for others that share its cause; 0 for not at all",
});

const tenant = z
  .strictObject({
    id,
    slug: z.string().meta({ description: "A topic segment, which never changes" }),
    name: z.string(),
    createdAt: timestamp,
    telemetryRetentionDays: z.int(),
    adminsNeedFactor: z.boolean().meta({ description: "Whether its admins must have a second factor" }),
    lastResort,
    flapsAbove,
    causeWaitMinutes,
    quotas: z.array(
      z.strictObject({
        quota: z.enum(QUOTA_NAMES),
        of: z.string().meta({ description: "The counted records" }),
        used: z.int(),
        limit: z.int(),
        own: z
          .boolean()
          .meta({ description: "Whether the limit is the tenant's own rather than the service's default" }),
      }),
    ),
  })
  .meta({ id: "Tenant" });

const EXAMPLE = {
  id: "0199c1c0-0000-7a11-8c22-5e6f7a8b9c0d",
  slug: "acme",
  name: "Acme Pumps",
  createdAt: "2026-11-01T09:00:00.000Z",
  telemetryRetentionDays: 90,
  adminsNeedFactor: false,
  lastResort: "admins",
  flapsAbove: 10,
  causeWaitMinutes: 2,
  quotas: [{ quota: "devices", of: "devices that are not deleted", used: 12, limit: 1_000_000, own: false }],
};

export const getTenant = adminRoute({
  useCase: accessUseCases.getTenant,
  operationId: "getTenant",
  method: "GET",
  path: "/api/admin/tenant",
  tag: TAG,
  summary: "Show the tenant",
  description: "The caller's tenant, with its use of each quota.",
  status: 200,
  response: tenant,
  errors: [],
  examples: { response: EXAMPLE },
  handler: (caller, _input, getTenant) => getTenant(caller),
});

export const updateTenant = adminRoute({
  useCase: accessUseCases.updateTenant,
  operationId: "updateTenant",
  method: "PATCH",
  path: "/api/admin/tenant",
  tag: TAG,
  summary: "Change the tenant",
  description:
    "Absent fields stay unchanged. A new retention applies to telemetry that arrives from now on. Once `adminsNeedFactor` is set, admins without a second factor can only set one up, and their sessions end; the admin who sets it must have one.",
  body: z
    .strictObject({
      name: label().optional(),
      telemetryRetentionDays: z
        .int()
        .optional()
        .meta({ enum: [...TELEMETRY_RETENTIONS], description: "Days" }),
      adminsNeedFactor: z.boolean().optional(),
      lastResort: lastResort.optional(),
      flapsAbove: flapsAbove.optional(),
      causeWaitMinutes: causeWaitMinutes.optional(),
    })
    .meta({ id: "TenantEdit" }),
  status: 200,
  response: tenant,
  errors: ["factor_missing"],
  examples: { body: { name: "Acme Pumps" }, response: EXAMPLE },
  handler: (caller, { body }, updateTenant) => updateTenant(caller, body),
});
