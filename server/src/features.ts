import { type Access, createAccess } from "./access/access.ts";
import { type Anomalies, createAnomalies } from "./anomalies/anomalies.ts";
import { type Audit, createAudit } from "./audit/audit.ts";
import { type Backup, createBackup } from "./backup/backup.ts";
import { type Certificates, createCertificates } from "./certificates/certificates.ts";
import { type Connections, createConnections } from "./connections/connections.ts";
import type { Database } from "./db/database.ts";
import { createDevices, type Devices } from "./devices/devices.ts";
import { createDoctor, type Doctor } from "./doctor/doctor.ts";
import { createEnrollment, type Enrollment, type EnrollmentDeps } from "./enrollment/enrollment.ts";
import { createEvents, type Events } from "./events/events.ts";
import { createGroups, type Groups } from "./groups/groups.ts";
import type { Clock } from "./lib/clock.ts";
import type { Ids } from "./lib/ids.ts";
import type { Logger } from "./lib/logger.ts";
import type { Metrics } from "./lib/metrics.ts";
import { Secret } from "./lib/secret.ts";
import { createLive, type Live } from "./live/live.ts";
import { createNotifications, type NotificationSettings, type Notifications } from "./notifications/notifications.ts";
import { deriveKey } from "./pki/pki.ts";
import { createBatchEvaluator, createRules, type Rules } from "./rules/rules.ts";
import { createTelemetry, type Telemetry } from "./telemetry/telemetry.ts";
import { createTickets, type Tickets } from "./tickets/tickets.ts";

/** What the features need of the process around them. */
export interface FeatureDeps {
  database: Database;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  metrics: Metrics;
  authorities: EnrollmentDeps["authorities"];
  masterKey: Secret<Buffer>;
  notificationSettings: NotificationSettings;
  /** Where devices and clients reach the service; its ports are known once the listeners are open. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
  /** Milliseconds until a silent signer has failed; 5 s when absent. */
  signTimeoutMs?: number | undefined;
}

/** Every feature but the authorities, without a listener and without a periodic job. */
export interface Features {
  readonly access: Access;
  readonly anomalies: Anomalies;
  readonly audit: Audit;
  readonly backup: Backup;
  readonly certificates: Certificates;
  readonly connections: Connections;
  readonly devices: Devices;
  readonly doctor: Doctor;
  readonly enrollment: Enrollment;
  readonly events: Events;
  readonly groups: Groups;
  readonly live: Live;
  readonly metrics: Metrics;
  readonly notifications: Notifications;
  readonly rules: Rules;
  readonly telemetry: Telemetry;
  readonly tickets: Tickets;
}

/** Composes the features over one database. It does no I/O: the service, tests and benchmarks all build theirs here. */
export function composeFeatures(process: FeatureDeps): Features {
  const { database, clock, ids, logger, metrics, authorities, masterKey, addresses } = process;
  const deps = { database, clock, ids, logger, metrics };
  const connections = createConnections(deps);
  const telemetry = createTelemetry({ ...deps, evaluator: createBatchEvaluator(deps) });
  const anomalies = createAnomalies(deps);
  const events = createEvents(deps);
  const notifications = createNotifications({
    ...deps,
    webhookKey: new Secret(deriveKey(masterKey.reveal(), "webhook-secrets")),
    settings: process.notificationSettings,
    baseUrl: () => addresses.baseUrl,
  });
  const enrollment = createEnrollment({
    ...deps,
    authorities,
    connections,
    masterKey,
    brokerUrl: () => addresses.brokerUrl,
    signTimeoutMs: process.signTimeoutMs,
  });
  for (const feature of [telemetry, anomalies, notifications]) metrics.beforeText(() => feature.measure());
  return {
    access: createAccess(deps),
    anomalies,
    audit: createAudit(deps),
    backup: createBackup(deps),
    certificates: createCertificates(deps),
    connections,
    devices: createDevices(deps),
    doctor: createDoctor({ ...deps, concerns: concernsOf({ notifications }) }),
    enrollment,
    events,
    groups: createGroups(deps),
    live: createLive({ events, telemetry }),
    metrics,
    notifications,
    rules: createRules(deps),
    telemetry,
    tickets: createTickets(deps),
  };
}

/** Checks of the doctor that SQL cannot express. */
function concernsOf({ notifications }: Pick<Features, "notifications">) {
  return [
    {
      name: "every escalation step reaches at least one person in the next 7 days",
      find: () => notifications.unreached(),
    },
  ];
}
