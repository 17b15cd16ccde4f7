import type { Access } from "../access/access.ts";
import type { Anomalies } from "../anomalies/anomalies.ts";
import type { Authorities } from "../authorities/authorities.ts";
import type { Certificates } from "../certificates/certificates.ts";
import type { Connections } from "../connections/connections.ts";
import type { Database } from "../db/database.ts";
import type { Devices } from "../devices/devices.ts";
import type { Enrollment } from "../enrollment/enrollment.ts";
import type { Groups } from "../groups/groups.ts";
import type { Clock } from "../lib/clock.ts";
import type { Notifications } from "../notifications/notifications.ts";
import type { Rules } from "../rules/rules.ts";
import type { Tickets } from "../tickets/tickets.ts";

/** The dependencies of this feature: the use cases of other features, each of which checks what the caller may see. */
export interface OverviewDeps {
  database: Database;
  clock: Clock;
  access: Pick<Access, "tenantUsage" | "countServiceAccountProblems" | "listUsers" | "nameUsers" | "nameKeys">;
  authorities: Pick<Authorities, "rollout">;
  anomalies: Pick<Anomalies, "listAnomalies">;
  certificates: Pick<Certificates, "listCertificates">;
  connections: Pick<Connections, "listMqttClients" | "listRefusals">;
  devices: Pick<Devices, "countDevices" | "getDevice" | "listDeviceTypes" | "nameDevices" | "suggestDevices">;
  enrollment: Pick<Enrollment, "listClaims" | "nameClaims">;
  notifications: Pick<Notifications, "readPagingProblems">;
  groups: Pick<Groups, "listGroups" | "listShifts">;
  rules: Pick<Rules, "listThresholds">;
  tickets: Pick<Tickets, "listTickets">;
}
