import * as keys from "./admin/access/keys.ts";
import * as serviceAccounts from "./admin/access/service-accounts.ts";
import * as audits from "./admin/audits.ts";
import * as certificates from "./admin/certificates.ts";
import * as claims from "./admin/claims.ts";
import * as clientTraces from "./admin/client-traces.ts";
import * as connectGuide from "./admin/connect-guide.ts";
import * as deviceTypes from "./admin/device-types.ts";
import * as deviceBulk from "./admin/devices/bulk.ts";
import * as deviceCommands from "./admin/devices/commands.ts";
import * as deviceFind from "./admin/devices/find.ts";
import * as deviceImport from "./admin/devices/import.ts";
import * as devices from "./admin/devices.ts";
import * as events from "./admin/events.ts";
import * as findings from "./admin/findings.ts";
import * as invites from "./admin/invites.ts";
import * as absences from "./admin/monitoring/absences.ts";
import * as anomalies from "./admin/monitoring/anomalies.ts";
import * as anomalyPaging from "./admin/monitoring/anomaly-paging.ts";
import * as auditStream from "./admin/monitoring/audit-stream.ts";
import * as deliveries from "./admin/monitoring/deliveries.ts";
import * as feeds from "./admin/monitoring/feeds.ts";
import * as groupChannels from "./admin/monitoring/group-channels.ts";
import * as groups from "./admin/monitoring/groups.ts";
import * as integrations from "./admin/monitoring/integrations.ts";
import * as maintenanceWindows from "./admin/monitoring/maintenance-windows.ts";
import * as onCall from "./admin/monitoring/on-call.ts";
import * as overrides from "./admin/monitoring/overrides.ts";
import * as ownNotifications from "./admin/monitoring/own-notifications.ts";
import * as people from "./admin/monitoring/people.ts";
import * as replay from "./admin/monitoring/replay.ts";
import * as shifts from "./admin/monitoring/shifts.ts";
import * as thresholds from "./admin/monitoring/thresholds.ts";
import * as tickets from "./admin/monitoring/tickets.ts";
import * as mqttClients from "./admin/mqtt-clients.ts";
import * as overview from "./admin/overview.ts";
import * as platform from "./admin/platform.ts";
import * as provisioning from "./admin/provisioning.ts";
import * as refusals from "./admin/refusals.ts";
import * as savedFilters from "./admin/saved-filters.ts";
import * as account from "./admin/sign-in/account.ts";
import * as factors from "./admin/sign-in/factors.ts";
import * as passkeys from "./admin/sign-in/passkeys.ts";
import * as profile from "./admin/sign-in/profile.ts";
import * as provider from "./admin/sign-in/provider.ts";
import * as session from "./admin/sign-in/session.ts";
import * as setup from "./admin/sign-in/setup.ts";
import * as singleSignOn from "./admin/sign-in/single-sign-on.ts";
import * as telemetry from "./admin/telemetry.ts";
import * as tenant from "./admin/tenant.ts";
import * as users from "./admin/users.ts";
import { type AdminRoute, routesOf } from "./route.ts";

/** The resources of the admin API, in the order of its description. Each module exports its routes. */
const RESOURCES = [
  setup,
  session,
  provider,
  account,
  factors,
  passkeys,
  profile,
  savedFilters,
  users,
  serviceAccounts,
  invites,
  overview,
  events,
  devices,
  deviceBulk,
  deviceFind,
  deviceImport,
  deviceCommands,
  telemetry,
  findings,
  connectGuide,
  refusals,
  claims,
  certificates,
  deviceTypes,
  groups,
  anomalies,
  anomalyPaging,
  replay,
  deliveries,
  ownNotifications,
  tickets,
  groupChannels,
  integrations,
  shifts,
  overrides,
  absences,
  feeds,
  maintenanceWindows,
  onCall,
  people,
  thresholds,
  mqttClients,
  clientTraces,
  keys,
  audits,
  auditStream,
  tenant,
  provisioning,
  singleSignOn,
  platform,
];

/** Every operation of the admin API. */
export const adminRoutes: readonly AdminRoute[] = RESOURCES.flatMap((module) => routesOf<AdminRoute>(module));
