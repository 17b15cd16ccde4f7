import { z } from "zod";
import { records } from "../../../lib/limits/records.ts";
import { id, nullableTimestamp, timestamp } from "../../shapes.ts";
import { role } from "./user-shapes.ts";

/** The shapes of API keys. */

const replaces = z.string().nullable().meta({ description: "The key that a rotation replaced by this one" });
const replacedBy = z
  .string()
  .nullable()
  .meta({ description: "The key that replaced this one, which works until `expiresAt`" });

export const key = z
  .strictObject({
    id: z.string().meta({ description: "The public id: `apikey:<id>` in audits" }),
    name: z.string(),
    scopes: z.array(z.string()),
    ineffectiveScopes: z.array(z.string()).meta({
      description:
        "Scopes that have no effect while its owner has the present role: a key never has more rights than its owner",
    }),
    user: z.string().meta({
      description:
        "The e-mail address of its owner, or the name of the service account; the key ends with this account",
    }),
    userId: id,
    ownerKind: z.enum(["person", "service"]).meta({ id: "KindOfUser" }),
    ownerRole: role.meta({ description: "The present role of its owner, who was an admin when the key was created" }),
    createdAt: timestamp,
    expiresAt: nullableTimestamp,
    replaces,
    replacedBy,
    lastUsedAt: nullableTimestamp,
    lastUsedAddress: z.string().nullable(),
    revokedAt: nullableTimestamp,
    revokedBy: z.string().nullable(),
    revocationReason: z
      .enum(["requested", "creator_deactivated", "creator_deleted", "creator_password_reset"])
      .meta({ id: "KeyRevocationReason" })
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

export const newKey = z
  .strictObject({
    id: z.string(),
    key: z.string().meta({ description: "The key, shown only in this answer; it is not stored" }),
  })
  .meta({ id: "ApiKeyCreate" });

export const KEY_EXAMPLE = {
  id: "4fgh7kp2",
  name: "Dashboard",
  scopes: ["devices:read", "anomalies:*"],
  ineffectiveScopes: [],
  user: "ada@acme.example",
  userId: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  ownerKind: "person",
  ownerRole: "admin",
  createdAt: "2026-11-20T09:00:00.000Z",
  expiresAt: null,
  replaces: null,
  replacedBy: null,
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

/** The filters of the list of keys. */
export const keyFilter = {
  state: z
    .enum(["active", "ended"])
    .meta({ id: "KeyState" })
    .optional()
    .meta({ description: "`ended` means revoked or expired; all keys if absent" }),
  userId: id.optional().meta({ description: "Keys of this user" }),
};

/** The key of the request, as its holder sees it. */
export const ownKey = key
  .pick({ id: true, name: true, scopes: true, ineffectiveScopes: true, createdAt: true, expiresAt: true })
  .extend({ replaces, replacedBy })
  .meta({ id: "OwnApiKey" });

export const OWN_KEY_EXAMPLE = {
  id: "4fgh7kp2",
  name: "Dashboard",
  scopes: ["devices:read", "own-key:read", "own-key:rotate"],
  ineffectiveScopes: [],
  createdAt: "2026-11-20T09:00:00.000Z",
  expiresAt: "2027-02-18T09:00:00.000Z",
  replaces: null,
  replacedBy: null,
};

export const ROTATION =
  "The successor has the same name, owner, scopes and length of life. It is shown only in this answer. The replaced key keeps working for `overlapHours`, or until it expires. A key has one successor.";

export const keyRotation = z
  .strictObject({
    overlapHours: z
      .int()
      .min(0)
      .max(records.overlapHoursOfKey.value)
      .default(24)
      .meta({ description: "How long the replaced key keeps working" }),
  })
  .meta({ id: "ApiKeyRotation" });

export const rotatedKey = z
  .strictObject({
    id: z.string(),
    key: z.string().meta({ description: "The successor, shown only in this answer; it is not stored" }),
    expiresAt: nullableTimestamp,
    replaces: z.strictObject({ id: z.string(), expiresAt: timestamp }).meta({ description: "The replaced key" }),
  })
  .meta({ id: "RotatedApiKey" });

export const ROTATED_EXAMPLE = {
  id: "7pq2mn4x",
  key: "mstr_7pq2mn4x_…",
  expiresAt: "2027-05-19T09:00:00.000Z",
  replaces: { id: "4fgh7kp2", expiresAt: "2027-02-16T09:00:00.000Z" },
};
