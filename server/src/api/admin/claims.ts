import { inApp } from "../in-app.ts";
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
