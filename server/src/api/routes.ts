import { adminRoutes } from "./admin-routes.ts";
import * as redeemClaim from "./provisioning/redeem-claim.ts";
import * as renewCertificate from "./provisioning/renew-certificate.ts";
import { type ReferenceRoute, type Route, routesOf } from "./route.ts";
import * as anomalies from "./v1/anomalies.ts";
import * as claims from "./v1/claims.ts";
import * as commands from "./v1/commands.ts";
import * as deviceCertificates from "./v1/device-certificates.ts";
import * as deviceTypes from "./v1/device-types.ts";
import * as devices from "./v1/devices.ts";
import * as events from "./v1/events.ts";
import * as groupChanges from "./v1/group-changes.ts";
import * as groups from "./v1/groups.ts";
import * as mqttClients from "./v1/mqtt-clients.ts";
import * as absences from "./v1/paging/absences.ts";
import * as anomalyPaging from "./v1/paging/anomaly-paging.ts";
import * as coverage from "./v1/paging/coverage.ts";
import * as maintenanceWindows from "./v1/paging/maintenance-windows.ts";
import * as overrides from "./v1/paging/overrides.ts";
import * as replay from "./v1/paging/replay.ts";
import * as audits from "./v1/people/audits.ts";
import * as keys from "./v1/people/keys.ts";
import * as users from "./v1/people/users.ts";
import * as refusals from "./v1/refusals.ts";
import * as shifts from "./v1/shifts.ts";
import * as fleetTelemetry from "./v1/telemetry/fleet.ts";
import * as telemetry from "./v1/telemetry/telemetry.ts";
import * as thresholdChanges from "./v1/threshold-changes.ts";
import * as thresholds from "./v1/thresholds.ts";
import * as ticketNotes from "./v1/tickets/ticket-notes.ts";
import * as tickets from "./v1/tickets/tickets.ts";
import * as timelines from "./v1/timelines.ts";
import * as webhooks from "./v1/webhooks.ts";

/** The resources in the order of the reference. Each module exports its routes. */
const RESOURCES = [
  devices,
  timelines,
  telemetry,
  fleetTelemetry,
  commands,
  deviceTypes,
  groups,
  groupChanges,
  shifts,
  coverage,
  replay,
  overrides,
  absences,
  maintenanceWindows,
  anomalyPaging,
  thresholds,
  thresholdChanges,
  anomalies,
  tickets,
  ticketNotes,
  claims,
  deviceCertificates,
  mqttClients,
  refusals,
  events,
  webhooks,
  users,
  keys,
  audits,
  redeemClaim,
  renewCertificate,
];

/**
 * Every operation of the public API and of the devices: server, OpenAPI, reference and the enumerating tests read this
 * list.
 */
export const routes: readonly ReferenceRoute[] = RESOURCES.flatMap((module) => routesOf<ReferenceRoute>(module));

/** Every operation of every surface. */
export const everyRoute: readonly Route[] = [...routes, ...adminRoutes];
