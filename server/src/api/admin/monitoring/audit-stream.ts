import { z } from "zod";
import { notificationUseCases } from "../../../notifications/notifications.ts";
import { adminRoute } from "../../route.ts";
import { timestamp } from "../../shapes.ts";

const TAG = "Audits";

const kind = z.enum(["syslog", "https", "otlp"]).meta({
  description: "Syslog over TLS (RFC 5425), NDJSON in HTTPS POSTs, or OTLP logs over HTTP",
});
const target = z.string().min(1).max(2_000).meta({ description: "`syslogs://host:port`, or an https address" });
const caPem = z.string().max(20_000).nullable().meta({ description: "The CA of a syslog receiver; null: public CAs" });

const shown = {
  kind,
  target,
  caPem,
  createdAt: timestamp,
  lastSentAt: timestamp.nullable(),
  lastError: z.string().nullable(),
  waiting: z.int().meta({ description: "Entries that wait for the receiver" }),
  oldestAt: timestamp.nullable().meta({ description: "The time of the oldest entry that waits" }),
  lost: z.int().meta({ description: "Entries that no receiver took in time, or that it refused" }),
};

const EXAMPLE = {
  kind: "https",
  target: "https://siem.acme.example/muster",
  caPem: null,
  createdAt: "2026-11-20T08:00:00.000Z",
  lastSentAt: "2026-11-21T09:00:00.000Z",
  lastError: null,
  waiting: 0,
  oldestAt: null,
  lost: 0,
};

export const getAuditStream = adminRoute({
  useCase: notificationUseCases.getAuditStream,
  operationId: "getAuditStream",
  method: "GET",
  path: "/api/admin/audit/stream",
  tag: TAG,
  summary: "Show the audit stream",
  description: "Where the tenant's audits are sent, and how far.",
  status: 200,
  response: z.strictObject({ stream: z.strictObject(shown).nullable() }).meta({ id: "AuditStreamState" }),
  errors: [],
  examples: { response: { stream: EXAMPLE } },
  handler: async (caller, _input, getAuditStream) => ({ stream: await getAuditStream(caller) }),
});

export const setAuditStream = adminRoute({
  useCase: notificationUseCases.setAuditStream,
  operationId: "setAuditStream",
  method: "PUT",
  path: "/api/admin/audit/stream",
  tag: TAG,
  summary: "Send the audits to a receiver",
  description:
    "Every later entry of the tenant's audits is sent at least once and in order; a repeated one has the same `id`. HTTPS and OTLP are signed as webhooks are. Only this answer shows the secret.",
  body: z.strictObject({ kind, target, caPem: caPem.optional() }).meta({ id: "AuditStreamEdit" }),
  status: 200,
  response: z
    .strictObject({ ...shown, secret: z.string().nullable().meta({ description: "Signs HTTPS and OTLP" }) })
    .meta({ id: "AuditStreamSet" }),
  secret: true,
  errors: [],
  examples: {
    body: { kind: "https", target: "https://siem.acme.example/muster" },
    response: { ...EXAMPLE, secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" },
  },
  handler: (caller, { body }, setAuditStream) => setAuditStream(caller, body),
});

export const deleteAuditStream = adminRoute({
  useCase: notificationUseCases.deleteAuditStream,
  operationId: "deleteAuditStream",
  method: "DELETE",
  path: "/api/admin/audit/stream",
  tag: TAG,
  summary: "End the audit stream",
  description: "Entries that wait are no longer sent; the audits keep them.",
  status: 204,
  errors: [],
  examples: {},
  handler: (caller, _input, deleteAuditStream) => deleteAuditStream(caller),
});
