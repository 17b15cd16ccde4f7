import { z } from "zod";
import { id, instant, paging, timestamp } from "../../shapes.ts";

export const RESULT = z.enum(["created", "updated", "revoked", "deleted", "unchanged"]).meta({ id: "ApiWriteResult" });

/** A write with an API key, as in the API audit log. */
export const apiWrite = z
  .strictObject({
    id,
    at: timestamp,
    keyId: z.string(),
    operation: z.string().meta({ description: "The operation of the public API" }),
    resource: z.string().meta({ description: "The kind of record" }),
    resourceId: z.string(),
    result: RESULT,
    address: z.string().nullable(),
    requestId: z.string(),
    certificate: z
      .strictObject({ id, serialNumber: z.string(), fingerprintSha256: z.string() })
      .optional()
      .meta({ description: "The issued or revoked certificate" }),
  })
  .meta({ id: "ApiWrite" });

export const WRITE_EXAMPLE = {
  id: "0199c1d2-1111-7a11-9c22-5e6f7a8b9c0d",
  at: "2026-11-20T10:00:00.000Z",
  keyId: "4fgh7kp2",
  operation: "createGroup",
  resource: "group",
  resourceId: "0199c1c4-1111-7a11-9c22-5e6f7a8b9c0d",
  result: "created",
  address: "203.0.113.7",
  requestId: "0199c1d2-1111-7a11-9c22-5e6f7a8b9c0e",
};

/** The period parameters of every audit's query. */
export const period = {
  from: instant.optional().meta({ description: "From this time on" }),
  to: instant.optional().meta({ description: "Before this time" }),
};

export const text = z.string().min(1).max(200);
export const actor = text.optional().meta({
  description:
    "`user:<id>`, `apikey:<id>`, `claim:<id>`, `device:<id>`, `scim:<id>`, `provider` (a logout at the identity provider), `visitor` (not signed in) or `system`",
});

/** The filters of the API audit log. */
export const writeFilter = {
  keyId: text.optional(),
  operation: text.optional(),
  resource: text.optional(),
  resourceId: text.optional(),
  result: RESULT.optional(),
  ...period,
  ...paging(50, 200),
};

/** The filters of the administrative audit. */
export const actFilter = {
  actor,
  act: text.optional().meta({
    description: "An act such as `user.create` or `session.refuse`, or `user.` for all acts on that kind of record",
  }),
  target: text.optional().meta({ description: "The id of the record acted on" }),
  ...period,
  ...paging(50, 200),
};

export const adminAct = z
  .strictObject({
    id,
    at: timestamp,
    actor: z.string(),
    address: z.string().nullable(),
    act: z.string().meta({ description: "`<kind of record>.<verb>`" }),
    target: z.string().meta({ description: "The id of the record acted on" }),
    before: z.looseObject({}).nullable(),
    after: z.looseObject({}).nullable(),
  })
  .meta({ id: "AdminAct" });

export const ACT_EXAMPLE = {
  id: "0199c1d0-5b00-7c55-b1d2-3e4f5a6b7c8d",
  at: "2026-11-21T09:00:00.000Z",
  actor: "user:0199c1c2-5b00-7c55-b1d2-3e4f5a6b7c8d",
  address: "203.0.113.7",
  act: "user.deactivate",
  target: "0199c1c2-4a00-7c55-b1d2-3e4f5a6b7c8d",
  before: { status: "active" },
  after: { status: "deactivated", revokedKeys: ["4fgh7kp2"] },
};
