import { z } from "zod";
import { accessUseCases, DANGEROUS_SCOPES, ROLES, SCOPES } from "../../access/access.ts";
import { records } from "../../lib/limits/records.ts";
import { adminRoute } from "../route.ts";
import { id, idParams, label, longPage, nullableTimestamp, page, paging, timestamp } from "../shapes.ts";
import { apiWrite, WRITE_EXAMPLE } from "../v1/people/audit-shapes.ts";

const TAG = "API keys";

const MAX_DAYS = 3650;

const key = z
  .strictObject({
    id: z.string().meta({ description: "The public id: `apikey:<id>` in audits" }),
    name: z.string(),
    scopes: z.array(z.string()),
    ineffectiveScopes: z.array(z.string()).meta({
      description:
        "Scopes that have no effect while its owner has the present role: a key never has more rights than its owner",
    }),
    user: z.string().meta({ description: "The e-mail address of its owner; the key ends with this account" }),
    userId: id,
    ownerRole: z
      .enum(ROLES)
      .meta({ description: "The present role of its owner, who was an admin when the key was created" }),
    createdAt: timestamp,
    expiresAt: nullableTimestamp,
    lastUsedAt: nullableTimestamp,
    lastUsedAddress: z.string().nullable(),
    revokedAt: nullableTimestamp,
    revokedBy: z.string().nullable(),
    revocationReason: z
      .enum(["requested", "creator_deactivated", "creator_deleted", "creator_password_reset"])
      .nullable(),
    endedBy: z
      .strictObject({ id, act: z.string(), actor: z.string(), at: timestamp, target: z.string() })
      .nullable()
      .meta({
        description:
          "The administrative audit entry of its revocation: a revocation of the key, or a change of its owner. `null` if none is recorded",
      }),
  })
  .meta({ id: "ApiKey" });

const newKey = z
  .strictObject({
    id: z.string(),
    key: z.string().meta({ description: "The key, shown only in this answer; it is not stored" }),
  })
  .meta({ id: "ApiKeyCreate" });

const EXAMPLE = {
  id: "4fgh7kp2",
  name: "Dashboard",
  scopes: ["devices:read", "anomalies:*"],
  ineffectiveScopes: [],
  user: "ada@acme.example",
  userId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  ownerRole: "admin",
  createdAt: "2026-11-20T09:00:00.000Z",
  expiresAt: null,
  lastUsedAt: "2026-11-20T10:00:00.000Z",
  lastUsedAddress: "203.0.113.7",
  revokedAt: "2026-11-21T09:00:00.000Z",
  revokedBy: "user:0199c1c2-5b00-7c55-b1d2-3e4f5a6b7c8d",
  revocationReason: "creator_deactivated",
  endedBy: {
    id: "0199c1d0-5b00-7c55-b1d2-3e4f5a6b7c8d",
    act: "user.deactivate",
    actor: "user:0199c1c2-5b00-7c55-b1d2-3e4f5a6b7c8d",
    at: "2026-11-21T09:00:00.000Z",
    target: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  },
};

export const listKeys = adminRoute({
  useCase: accessUseCases.listKeys,
  operationId: "listKeys",
  csv: "keys",
  method: "GET",
  path: "/api/admin/keys",
  tag: TAG,
  summary: "List API keys",
  description: "Every key that the tenant has ever had, newest first, with the act that ended it.",
  query: z.strictObject({
    state: z
      .enum(["active", "ended"])
      .optional()
      .meta({ description: "`ended` means revoked or expired; all keys if absent" }),
    userId: id.optional().meta({ description: "Keys of this user" }),
    ...paging(50, 200),
  }),
  status: 200,
  response: page(key),
  errors: [],
  examples: { response: { items: [EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { query }, listKeys) => listKeys(caller, query),
});

export const listKeyWrites = adminRoute({
  useCase: accessUseCases.listKeyWrites,
  operationId: "listKeyWrites",
  csv: "key-writes",
  method: "GET",
  path: "/api/admin/keys/{id}/writes",
  tag: TAG,
  summary: "List writes made with a key",
  description: "Writes made with the key, newest first. Reads are not recorded.",
  params: idParams,
  query: z.strictObject(paging(50, 200)),
  status: 200,
  response: longPage(apiWrite),
  errors: ["not_found"],
  examples: { response: { items: [WRITE_EXAMPLE], total: 1, skip: 0, limit: 50 } },
  handler: (caller, { params, query }, listKeyWrites) =>
    listKeyWrites(caller, params.id, { ...query, countAhead: records.countedAhead.value }),
});

export const createKey = adminRoute({
  useCase: accessUseCases.createKey,
  operationId: "createKey",
  method: "POST",
  path: "/api/admin/keys",
  tag: TAG,
  summary: "Create an API key",
  description: `The key is the caller's, and ends when this account is deactivated, deleted or has its password reset. It is shown only in this answer. Keys with dangerous scopes need a step-up: ${[...DANGEROUS_SCOPES].map((scope) => `\`${scope}\``).join(", ")}.`,
  body: z
    .strictObject({
      name: label(),
      scopes: z
        .array(z.string().max(64))
        .min(1)
        .max(100)
        .meta({
          description: `One of ${SCOPES.join(", ")}; or \`<resource>:*\` for read and write, except for provisioning and device-certificates`,
        }),
      expiresInDays: z
        .int()
        .min(1)
        .max(MAX_DAYS)
        .optional()
        .meta({ description: "If absent, the key does not expire" }),
    })
    .meta({ id: "ApiKeyRequest" }),
  status: 201,
  response: newKey,
  errors: ["quota_exceeded"],
  examples: {
    body: { name: "Dashboard", scopes: ["devices:read"], expiresInDays: 365 },
    response: { id: EXAMPLE.id, key: "mstr_4fgh7kp2_…" },
  },
  secret: true,
  handler: (caller, { body }, createKey) => createKey(caller, body),
});

export const revokeKey = adminRoute({
  useCase: accessUseCases.revokeKey,
  operationId: "revokeKey",
  method: "DELETE",
  path: "/api/admin/keys/{id}",
  tag: TAG,
  summary: "Revoke an API key",
  description:
    "Revokes the key immediately and permanently. May be repeated: a key that has ended keeps its first reason.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, revokeKey) => revokeKey(caller, params.id),
});
