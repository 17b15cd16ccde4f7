import { accessFunctions } from "./functions/access.ts";
import { anomaliesFunctions } from "./functions/anomalies.ts";
import { auditFunctions } from "./functions/audit.ts";
import { certificatesFunctions } from "./functions/certificates.ts";
import { computedFunctions } from "./functions/computed.ts";
import { connectionsFunctions } from "./functions/connections.ts";
import { eventsFunctions } from "./functions/events.ts";
import { identityFunctions } from "./functions/identity.ts";
import { listsFunctions } from "./functions/lists.ts";
import { notificationsFunctions } from "./functions/notifications.ts";
import { quotasFunctions } from "./functions/quotas.ts";
import { rulesFunctions } from "./functions/rules.ts";
import { silenceFunctions } from "./functions/silence.ts";
import { statementsFunctions } from "./functions/statements.ts";
import { telemetryFunctions } from "./functions/telemetry.ts";
import { accessTables } from "./tables/access.ts";
import { anomaliesTables } from "./tables/anomalies.ts";
import { auditTables } from "./tables/audit.ts";
import { auditStreamFunctions, auditStreamTables } from "./tables/audit-stream.ts";
import { authoritiesTables } from "./tables/authorities.ts";
import { certificatesTables } from "./tables/certificates.ts";
import { connectionsTables } from "./tables/connections.ts";
import { deliveriesTables } from "./tables/deliveries.ts";
import { devicesTables } from "./tables/devices.ts";
import { eventsTables } from "./tables/events.ts";
import { groupsTables } from "./tables/groups.ts";
import { identityTables } from "./tables/identity.ts";
import { ingestStreamTables } from "./tables/ingest-stream.ts";
import { listsTables } from "./tables/lists.ts";
import { notificationsTables } from "./tables/notifications.ts";
import { rulesTables } from "./tables/rules.ts";
import { scimTables } from "./tables/scim.ts";
import { storedSessionsTables } from "./tables/stored-sessions.ts";
import { telemetryTables } from "./tables/telemetry.ts";
import { ticketsTables } from "./tables/tickets.ts";
import { views } from "./views.ts";

/** Ordered by foreign keys: a table follows the tables that it refers to. */
const tables = [
  accessTables,
  identityTables,
  auditTables,
  auditStreamTables,
  authoritiesTables,
  groupsTables,
  scimTables,
  rulesTables,
  devicesTables,
  certificatesTables,
  connectionsTables,
  storedSessionsTables,
  anomaliesTables,
  ticketsTables,
  eventsTables,
  notificationsTables,
  deliveriesTables,
  telemetryTables,
  ingestStreamTables,
  listsTables,
];

/** Each with the triggers that call it. A function in the language SQL follows the functions that it calls. */
const functions = [
  statementsFunctions,
  quotasFunctions,
  accessFunctions,
  identityFunctions,
  auditFunctions,
  auditStreamFunctions,
  listsFunctions,
  certificatesFunctions,
  connectionsFunctions,
  rulesFunctions,
  anomaliesFunctions,
  silenceFunctions,
  telemetryFunctions,
  eventsFunctions,
  notificationsFunctions,
];

/** The schema of version 1.0. */
export const baseline = [computedFunctions, ...tables, views, ...functions].join("");
