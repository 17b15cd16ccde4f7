import { z } from "zod";
import { accessUseCases, DANGEROUS_SCOPES, SCOPES } from "../../../access/access.ts";
import { records } from "../../../lib/limits/records.ts";
import { inApp } from "../../in-app.ts";
import { adminRoute } from "../../route.ts";
import { id, idParams, label, longPage, paging } from "../../shapes.ts";
import { apiWrite, WRITE_EXAMPLE } from "../../v1/people/audit-shapes.ts";
import { KEY_EXAMPLE, keyRotation, newKey, ROTATED_EXAMPLE, ROTATION, rotatedKey } from "../../v1/people/key-shapes.ts";
import * as specified from "../../v1/people/keys.ts";

const TAG = "API keys";

const MAX_DAYS = 3650;

export const listKeys = inApp(specified.listKeys, { csv: "keys" });

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
  description: `The key is the caller's, and ends when this account is deactivated, deleted or has its password reset; or it is that of a service account. It is shown only in this answer. Keys of service accounts, and keys with dangerous scopes, need a step-up: ${[...DANGEROUS_SCOPES].map((scope) => `\`${scope}\``).join(", ")}.`,
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
      serviceAccountId: id
        .optional()
        .meta({ description: "The service account that owns the key, in place of the caller" }),
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
    response: { id: KEY_EXAMPLE.id, key: "mstr_4fgh7kp2_…" },
  },
  secret: true,
  handler: (caller, { body: { serviceAccountId: serviceAccount, ...body } }, createKey) =>
    createKey(caller, { ...body, serviceAccount }),
});

export const rotateKey = adminRoute({
  useCase: accessUseCases.rotateKey,
  operationId: "rotateKey",
  method: "POST",
  path: "/api/admin/keys/{id}/rotate",
  tag: TAG,
  summary: "Replace an API key",
  description: ROTATION,
  params: idParams,
  body: keyRotation,
  status: 201,
  response: rotatedKey,
  errors: ["not_found", "already_exists", "quota_exceeded"],
  examples: { body: { overlapHours: 24 }, response: ROTATED_EXAMPLE },
  secret: true,
  handler: (caller, { params, body }, rotateKey) => rotateKey(caller, params.id, body),
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
