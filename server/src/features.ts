import { createAccess, createQuotas } from "./access/access.ts";
import { createAnomalies } from "./anomalies/anomalies.ts";
import { createAudit } from "./audit/audit.ts";
import type { Authorities } from "./authorities/authorities.ts";
import { createBackup } from "./backup/backup.ts";
import { createCertificates } from "./certificates/certificates.ts";
import { createCommands } from "./commands/commands.ts";
import { createConnections, type NodeProcess } from "./connections/connections.ts";
import type { Database } from "./db/database.ts";
import { createDevices } from "./devices/devices.ts";
import { createDoctor, type ProcessCheck, streamCheck } from "./doctor/doctor.ts";
import { createEnrollment, type EnrollmentDeps, newMemory } from "./enrollment/enrollment.ts";
import { createEvents } from "./events/events.ts";
import { createGroups } from "./groups/groups.ts";
import {
  createIdentity,
  encryptFactorsAgain,
  encryptProvidersAgain,
  type Identity,
  type Mail,
  type Secrets,
} from "./identity/identity.ts";
import type { Clock } from "./lib/clock.ts";
import type { Ids } from "./lib/ids.ts";
import type { Limits } from "./lib/limits/limits.ts";
import type { Logger } from "./lib/logger.ts";
import type { Metrics } from "./lib/metrics/metrics.ts";
import { createLive } from "./live/live.ts";
import {
  createNotifications,
  encryptIntegrationsAgain,
  encryptPushKeyAgain,
  type NotificationSettings,
  type Notifications,
} from "./notifications/notifications.ts";
import { createOverview } from "./overview/overview.ts";
import { createPlatform, type PlatformDeps } from "./platform/platform.ts";
import { createBatchEvaluator, createRules } from "./rules/rules.ts";
import { createScim } from "./scim/scim.ts";
import { createTelemetry, type StreamSettings, type Telemetry, type TelemetryDeps } from "./telemetry/telemetry.ts";
import { createTickets } from "./tickets/tickets.ts";

/** The parts of the process that the features need. */
export interface FeatureDeps {
  database: Database;
  clock: Clock;
  /** Returns the time according to the database's clock. */
  databaseTime: Clock["now"];
  ids: Ids;
  logger: Logger;
  metrics: Metrics;
  limits: Limits;
  authorities: EnrollmentDeps["authorities"] & PlatformDeps["authorities"] & { readonly secrets: Secrets };
  /** Returns keys derived from the master key; the first one is used for new data. */
  keysFor: Authorities["keysFor"];
  notificationSettings: NotificationSettings;
  /** Whether identity providers may be in private networks; false by default. */
  allowPrivateProviders?: boolean | undefined;
  /** The addresses at which devices and clients reach the service; the ports are known once the listeners are open. */
  addresses: { readonly baseUrl: string; readonly brokerUrl: string };
  /** Called when the set-up link of the service is used or replaced. */
  setUpLinkEnded?: (() => Promise<void>) | undefined;
  /** The information about this process that the shell shows in the list of broker nodes. */
  nodeProcess: NodeProcess;
  /** The stream in which device messages may wait for their commit; only in a process that serves MQTT. */
  stream?: StreamSettings | undefined;
  /** The approximate number of bytes of a device hour that is read at once for its chunks; 2 MB by default. */
  sliceBytes?: number | undefined;
  /** The time after its last heartbeat at which this process is reaped as a broker node. */
  leaseSeconds: number;
  /** This machine's clock. */
  leaseClock: Pick<Clock, "monotonicMs">;
  /** The milliseconds after which an unresponsive signer counts as failed; 5 s by default. */
  signTimeoutMs?: number | undefined;
  /** The number of serving processes of this service; 1 by default. */
  workers?: number | undefined;
  /** The doctor's checks of the process around the features. */
  processChecks?: readonly ProcessCheck[] | undefined;
  /** The milliseconds between two heartbeats of a broker node; 2 s by default. */
  heartbeatMs?: number | undefined;
}

type StoredDeps = Omit<TelemetryDeps, "stream" | "workers" | "evaluator">;

/** Re-encrypts, during a rotation of the master key, the data that features store encrypted under it. */
export const encryptAgain = [encryptFactorsAgain, encryptIntegrationsAgain, encryptProvidersAgain, encryptPushKeyAgain];

/** The facades of all features except the authorities. */
export type Features = ReturnType<typeof composeFeatures>;

function mailOf({ notificationSettings: { smtp } }: FeatureDeps, sender: Pick<Notifications, "sendPlainMail">): Mail {
  return { configured: smtp !== undefined, send: (mail) => sender.sendPlainMail(mail) };
}

/**
 * Composes the features over one database, without listeners or periodic jobs. It does no I/O: the service, tests and
 * benchmarks all use it.
 */
export function composeFeatures(process: FeatureDeps) {
  const { database, clock, databaseTime, ids, logger, metrics, limits, authorities, keysFor, addresses } = process;
  const quotas = createQuotas({ database, clock, ids, logger, metrics, limits });
  const deps = { database, clock, databaseTime, ids, logger, metrics, limits, quotas };
  const access = createAccess(deps);
  const connections = createConnections({ ...process, quotas });
  const telemetry = telemetryOf(process, deps);
  const anomalies = createAnomalies(deps);
  const events = createEvents(deps);
  const groups = createGroups(deps);
  const notifications = createNotifications({
    ...deps,
    groups,
    webhookKeys: () => keysFor("webhook-secrets"),
    secrets: authorities.secrets,
    settings: process.notificationSettings,
    baseUrl: () => addresses.baseUrl,
  });
  const enrollment = createEnrollment({
    ...deps,
    authorities,
    connections,
    ...newMemory(deps.database),
    claimCodeKeys: () => keysFor("claim-code"),
    brokerUrl: () => addresses.brokerUrl,
    baseUrl: () => addresses.baseUrl,
    signTimeoutMs: process.signTimeoutMs,
  });
  for (const feature of [access, connections, telemetry, anomalies, notifications])
    metrics.beforeScrape(() => feature.measure());
  metrics.beforeScrape(() => notifications.measureStreams());
  const certificates = createCertificates(deps);
  const devices = createDevices(deps);
  const rules = createRules({ ...deps, telemetry });
  const tickets = createTickets(deps);
  const shown = { access, anomalies, certificates, connections, devices, enrollment, groups, rules, tickets };
  const identity = identityOf(process, deps, notifications);
  const doctor = createDoctor({ ...deps, ...checksOf(process, { identity, notifications, telemetry }) });
  return {
    ...shown,
    audit: createAudit(deps),
    backup: createBackup({ ...deps, connections, enrollment, identity }),
    commands: createCommands(deps),
    doctor,
    events,
    identity,
    live: createLive({ events, telemetry }),
    metrics,
    notifications,
    overview: createOverview({ ...deps, ...shown, authorities, notifications }),
    scim: createScim({ ...deps, baseUrl: () => addresses.baseUrl }),
    platform: createPlatform({ ...deps, authorities, doctor }),
    telemetry,
  };
}

function identityOf(
  process: FeatureDeps,
  deps: Omit<
    Parameters<typeof createIdentity>[0],
    | "knownBrowserKeys"
    | "oidcFlowKeys"
    | "challengeKeys"
    | "allowPrivateProviders"
    | "secrets"
    | "baseUrl"
    | "setUpLinkEnded"
    | "mail"
  >,
  notifications: Notifications,
) {
  const { authorities, keysFor, addresses, setUpLinkEnded } = process;
  return createIdentity({
    ...deps,
    knownBrowserKeys: () => keysFor("known-browsers"),
    oidcFlowKeys: () => keysFor("oidc-flows"),
    challengeKeys: () => keysFor("passkey-challenges"),
    allowPrivateProviders: process.allowPrivateProviders === true,
    secrets: authorities.secrets,
    baseUrl: () => addresses.baseUrl,
    setUpLinkEnded,
    mail: mailOf(process, notifications),
  });
}

function telemetryOf(
  { stream, sliceBytes, workers = 1 }: FeatureDeps,
  deps: Parameters<typeof createBatchEvaluator>[0] & StoredDeps,
) {
  return createTelemetry({ ...deps, stream, sliceBytes, workers, evaluator: createBatchEvaluator(deps) });
}

/** Returns the doctor's checks that SQL alone cannot make. */
function checksOf(
  { processChecks = [] }: FeatureDeps,
  { identity, notifications, telemetry }: { identity: Identity; notifications: Notifications; telemetry: Telemetry },
) {
  const coverage = {
    name: "every escalation step reaches at least one person in the next 7 days",
    violations: () => notifications.uncoveredGroups(),
  };
  const providers = {
    name: "every identity provider that is on answers and describes itself by its issuer",
    violations: () => identity.failingProviders(),
  };
  return {
    featureChecks: [coverage, providers],
    processChecks: [...processChecks, streamCheck(telemetry.streamProblem)],
  };
}
