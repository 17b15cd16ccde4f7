import { z } from "zod";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { records } from "../../lib/limits/records.ts";
import { CLAIM_STATUS } from "../named-shapes.ts";
import { publicRoute } from "../route.ts";
import { id, idParams, label, nullableTimestamp, page, paging, timestamp } from "../shapes.ts";

export const claimRecord = z
  .strictObject({
    id,
    intendedName: z.string(),
    intendedGroupIds: z.array(id),
    intendedDeviceTypeId: id.nullable(),
    status: CLAIM_STATUS,
    expired: z.boolean().meta({ description: "Whether its lifetime has elapsed; its status does not change" }),
    maxUses: z.int().min(1).max(records.usesOfClaim.value),
    usedCount: z.int().min(0).max(records.usesOfClaim.value),
    codeHint: z.string().meta({ description: "The last four characters of the code" }),
    expiresAt: timestamp,
    createdAt: timestamp,
    createdBy: z.string(),
    revokedAt: nullableTimestamp,
    revokedBy: z.string().nullable(),
    lastRedeemedAt: nullableTimestamp,
    deviceIds: z.array(id).meta({ description: "The devices that redeemed it" }),
    reenrollsDeviceId: id.nullable().meta({
      description:
        "The only device that may redeem it: it enrolls again without a certificate as proof and keeps its id. Null for a claim of new devices",
    }),
  })
  .meta({ id: "Claim" });

export const createdClaim = claimRecord
  .extend({
    claimCode: z
      .string()
      .regex(/^CLAIM(-[0-9A-Z]{4}){3}$/)
      .meta({ description: "The claim code, shown only in this answer" }),
  })
  .meta({ id: "CreatedClaim" });

/** An integer; the use case checks the limits, which have an error code of their own (spec 4.3). */
const whole = z.number().refine(Number.isInteger, "must be an integer");

export const CLAIM_EXAMPLE = {
  id: "0199c1c5-6a00-7b3e-8f4e-0d5a4f1f2b3c",
  intendedName: "Pump hall, gateway 3",
  intendedGroupIds: ["0199c1c4-0000-7a11-9c22-5e6f7a8b9c0d"],
  intendedDeviceTypeId: "0199c1c3-1111-7a11-9c22-5e6f7a8b9c0d",
  status: "pending",
  expired: false,
  maxUses: 1,
  usedCount: 0,
  codeHint: "7KQ2",
  expiresAt: "2026-11-20T11:00:00.000Z",
  createdAt: "2026-11-20T10:00:00.000Z",
  createdBy: "apikey:4fGh7Kp2",
  revokedAt: null,
  revokedBy: null,
  lastRedeemedAt: null,
  deviceIds: [],
  reenrollsDeviceId: null,
};

export const newClaim = z
  .strictObject({
    intendedName: label().meta({
      description:
        "Name of the devices that enroll with it. `{n}` becomes the next number of this name in the tenant, `{fingerprint}` the device's hardware fingerprint",
    }),
    intendedGroupIds: z
      .array(z.string().max(128))
      .max(records.groupsOfDevice.value)
      .optional()
      .meta({ description: "Groups from `GET /groups`; without any, only admins can see the device" }),
    intendedDeviceTypeId: z
      .string()
      .max(128)
      .optional()
      .meta({ description: "Determines the topics on which the device's certificate may publish" }),
    expiresInMinutes: whole
      .optional()
      .meta({ type: "integer", minimum: 5, maximum: records.minutesOfClaim.value, default: 60 }),
    maxUses: whole.optional().meta({ type: "integer", minimum: 1, maximum: records.usesOfClaim.value, default: 1 }),
  })
  .meta({ id: "ClaimCreate" });

export const createClaim = publicRoute({
  useCase: enrollmentUseCases.createClaim,
  operationId: "createClaim",
  method: "POST",
  path: "/api/v1/provisioning/claims",
  tag: "Enrollment claims",
  summary: "Create an enrollment claim",
  description: "Mints a claim code with which devices enroll themselves. The code is shown only in this answer.",
  body: newClaim,
  status: 201,
  response: createdClaim,
  errors: ["invalid_claim_request", "quota_exceeded"],
  examples: {
    body: { intendedName: "Pump hall, gateway 3", expiresInMinutes: 60, maxUses: 1 },
    response: { ...CLAIM_EXAMPLE, claimCode: "CLAIM-4T9M-W2XA-7KQ2" },
  },
  secret: true,
  handler: (caller, { body }, createClaim) => createClaim(caller, body),
});

export const listClaims = publicRoute({
  useCase: enrollmentUseCases.listClaims,
  operationId: "listClaims",
  method: "GET",
  path: "/api/v1/provisioning/claims",
  tag: "Enrollment claims",
  summary: "List enrollment claims",
  description: "The tenant's claims, newest first, without their codes.",
  query: z.strictObject({ status: CLAIM_STATUS.optional(), ...paging(100, 500) }),
  status: 200,
  response: page(claimRecord),
  errors: [],
  examples: { response: { items: [CLAIM_EXAMPLE], total: 1, skip: 0, limit: 100 } },
  handler: (caller, { query }, listClaims) => listClaims(caller, query),
});

export const getClaim = publicRoute({
  useCase: enrollmentUseCases.getClaim,
  operationId: "getClaim",
  method: "GET",
  path: "/api/v1/provisioning/claims/{id}",
  tag: "Enrollment claims",
  summary: "Get an enrollment claim",
  description: "One claim of the tenant, without its code.",
  params: idParams,
  status: 200,
  response: claimRecord,
  errors: ["not_found"],
  examples: { response: CLAIM_EXAMPLE },
  handler: (caller, { params }, getClaim) => getClaim(caller, params.id),
});

export const revokeClaim = publicRoute({
  useCase: enrollmentUseCases.revokeClaim,
  operationId: "revokeClaim",
  method: "DELETE",
  path: "/api/v1/provisioning/claims/{id}",
  tag: "Enrollment claims",
  summary: "Revoke an enrollment claim",
  description: "Ends a pending claim. May be repeated; on a used claim it changes nothing.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, revokeClaim) => revokeClaim(caller, params.id),
});
