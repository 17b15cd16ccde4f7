import { z } from "zod";
import { enrollmentUseCases } from "../../enrollment/enrollment.ts";
import { inApp } from "../in-app.ts";
import { adminRoute } from "../route.ts";
import { idParams } from "../shapes.ts";
import * as specified from "../v1/claims.ts";

export const listClaims = inApp(specified.listClaims, {
  csv: "claims",
});

export const getClaim = inApp(specified.getClaim, {
  description: "One claim of the tenant, without its code, with the devices that redeemed it.",
});

export const createClaim = inApp(specified.createClaim, {
  description:
    "Mints a claim code with which devices enroll themselves. The code is shown only in this answer. A claim with more than one use needs a step-up.",
});

export const revokeClaim = inApp(specified.revokeClaim);

export const allowReenrollment = adminRoute({
  useCase: enrollmentUseCases.allowReenrollment,
  operationId: "allowReenrollment",
  method: "POST",
  path: "/api/admin/devices/{id}/re-enrollment",
  tag: "Devices",
  summary: "Allow a device to enroll again",
  description:
    "Creates a claim with one use, bound to the device. The device, recognized by its hardware fingerprint, enrolls with it without its former certificate and keeps its id and its history. An earlier pending claim of this kind is revoked; certificates are not. The code is shown only in this answer.",
  params: idParams,
  body: z
    .strictObject({ expiresInMinutes: specified.newClaim.shape.expiresInMinutes })
    .meta({ id: "ReenrollmentCreate" }),
  status: 201,
  response: specified.createdClaim,
  errors: ["not_found", "invalid_claim_request", "quota_exceeded"],
  examples: {
    body: { expiresInMinutes: 60 },
    response: { ...specified.CLAIM_EXAMPLE, reenrollsDeviceId: "pump-1", claimCode: "CLAIM-4T9M-W2XA-7KQ2" },
  },
  secret: true,
  handler: (caller, { params, body }, allowReenrollment) => allowReenrollment(caller, params.id, body),
});
