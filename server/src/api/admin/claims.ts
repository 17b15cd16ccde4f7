import { z } from "zod";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { CLAIM_STATUS } from "../named-shapes.ts";
import { adminRoute } from "../route.ts";
import { idParams, page, paging } from "../shapes.ts";
import { CLAIM_EXAMPLE, claimRecord, createdClaim, newClaim } from "../v1/claims.ts";

const TAG = "Enrollment claims";

export const listClaims = adminRoute({
  useCase: enrollmentUseCases.listClaims,
  operationId: "listClaims",
  csv: "claims",
  method: "GET",
  path: "/api/admin/claims",
  tag: TAG,
  summary: "List enrollment claims",
  description: "The tenant's claims, newest first, without their codes.",
  query: z.strictObject({ status: CLAIM_STATUS.optional(), ...paging(100, 500) }),
  status: 200,
  response: page(claimRecord),
  errors: [],
  examples: { response: { items: [CLAIM_EXAMPLE], total: 1, skip: 0, limit: 100 } },
  handler: (caller, { query }, listClaims) => listClaims(caller, query),
});

export const getClaim = adminRoute({
  useCase: enrollmentUseCases.getClaim,
  operationId: "getClaim",
  method: "GET",
  path: "/api/admin/claims/{id}",
  tag: TAG,
  summary: "Get an enrollment claim",
  description: "One claim of the tenant, without its code, with the devices that redeemed it.",
  params: idParams,
  status: 200,
  response: claimRecord,
  errors: ["not_found"],
  examples: { response: CLAIM_EXAMPLE },
  handler: (caller, { params }, getClaim) => getClaim(caller, params.id),
});

export const createClaim = adminRoute({
  useCase: enrollmentUseCases.createClaim,
  operationId: "createClaim",
  method: "POST",
  path: "/api/admin/claims",
  tag: TAG,
  summary: "Create an enrollment claim",
  description:
    "Mints a claim code with which devices enroll themselves. The code is shown only in this answer. A claim with more than one use needs a step-up.",
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

export const revokeClaim = adminRoute({
  useCase: enrollmentUseCases.revokeClaim,
  operationId: "revokeClaim",
  method: "DELETE",
  path: "/api/admin/claims/{id}",
  tag: TAG,
  summary: "Revoke an enrollment claim",
  description: "Ends a pending claim. May be repeated; on a used claim it changes nothing.",
  params: idParams,
  status: 204,
  errors: ["not_found"],
  examples: {},
  handler: (caller, { params }, revokeClaim) => revokeClaim(caller, params.id),
});
