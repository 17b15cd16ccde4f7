import { redeemClaim } from "./provisioning/redeem-claim.ts";
import { renewCertificate } from "./provisioning/renew-certificate.ts";
import type { Route } from "./route.ts";
import { acknowledgeAnomaly, getAnomaly, listAnomalies } from "./v1/anomalies.ts";
import { createClaim, getClaim, listClaims, revokeClaim } from "./v1/claims.ts";
import { issueBundle, listCertificateAudit, listCertificates, revokeCertificate } from "./v1/device-certificates.ts";
import { getDevice, listDevices, replaceDevice } from "./v1/devices.ts";
import { assignShift, createGroup, getGroup, listGroups } from "./v1/groups.ts";
import { getShift, listShifts } from "./v1/shifts.ts";
import { createThreshold, getThreshold, listThresholds } from "./v1/thresholds.ts";
import { changeTicket, getTicket, listTickets, openTicket } from "./v1/tickets.ts";

/** Every operation there is. What is not in this list does not exist: server, OpenAPI and tests all read it. */
export const routes: readonly Route[] = [
  listDevices,
  getDevice,
  replaceDevice,
  listGroups,
  getGroup,
  createGroup,
  assignShift,
  listShifts,
  getShift,
  listThresholds,
  getThreshold,
  createThreshold,
  listAnomalies,
  getAnomaly,
  acknowledgeAnomaly,
  listTickets,
  getTicket,
  openTicket,
  changeTicket,
  listClaims,
  getClaim,
  createClaim,
  revokeClaim,
  listCertificates,
  listCertificateAudit,
  issueBundle,
  revokeCertificate,
  redeemClaim,
  renewCertificate,
];
