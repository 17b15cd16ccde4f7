import type { Authorities } from "../authorities/authorities.ts";
import type { Database } from "../db/database.ts";
import type { Features } from "../features.ts";
import { HOUR, MINUTE, SECOND } from "../lib/clock.ts";
import type { Logger } from "../lib/logger.ts";
import { startPeriodicJob } from "../lib/periodic-job.ts";
import type { Role } from "./part.ts";
import type { RequestExchange } from "./request-exchange.ts";

export interface JobParts extends Features {
  authorities: Authorities;
  database: Database;
  logger: Logger;
  requestExchange: Pick<RequestExchange, "send">;
}

type Job = [intervalMs: number, name: string, job: (stopped: AbortSignal) => Promise<unknown>];

/** Starts the periodic jobs of a process. @returns a function that stops the jobs and waits for running ones */
export function startJobs(parts: JobParts, role: Role): () => Promise<void> {
  const jobs = role === "serve" ? jobsOfProcess(parts) : [...jobsOfProcess(parts), ...jobsOfService(parts)];
  const stops = jobs.map(([intervalMs, name, job]) => startPeriodicJob(intervalMs, name, job, parts.logger));
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Returns the jobs that every process runs for its own state in memory. */
function jobsOfProcess({ access, identity, requestExchange }: JobParts): Job[] {
  return [
    [SECOND, "exchange the requests of addresses", () => requestExchange.send()],
    [5 * SECOND, "compare the clocks of the rate limit", () => access.compareRequestClocks()],
    [10 * SECOND, "check the sessions of live streams", () => identity.checkFollowedSessions()],
    [10 * SECOND, "check the API keys of event streams", () => access.checkFollowedKeys()],
  ];
}

/**
 * Returns the jobs that each service runs: for its own connections and certificates, and its share of work divided by
 * locks.
 */
function jobsOfService(parts: JobParts): Job[] {
  const { telemetry, notifications, connections, authorities, database } = parts;
  const leaderOnly = jobsOfLeader(parts).map(
    ([intervalMs, name, job]): Job => [
      intervalMs,
      name,
      async (stopped) => {
        if (connections.isLeader()) await job(stopped);
      },
    ],
  );
  return [
    [2 * SECOND, "maintain the database", () => database.maintain()],
    [MINUTE, "roll up telemetry", (stopped) => telemetry.rollUp(stopped)],
    [HOUR, "maintain the certificate authorities", () => authorities.maintain()],
    [SECOND, "send notifications", () => notifications.tick()],
    [SECOND, "deliver the audit streams", () => notifications.tickAuditStreams()],
    ...leaderOnly,
  ];
}

/**
 * Returns the jobs that the leader runs for all services on the database. For a moment two may run a job concurrently.
 */
function jobsOfLeader(parts: JobParts): Job[] {
  const { access, identity, rules, telemetry, notifications, enrollment, connections, commands, audit, events } = parts;
  return [
    [10 * SECOND, "detect silent devices", () => rules.pollSilence()],
    [5 * MINUTE, "detect lost renewals", () => rules.pollLostRenewals()],
    [MINUTE, "delete the telemetry of deleted devices", () => telemetry.deleteTelemetry()],
    [HOUR, "maintain the partitions of telemetry", () => telemetry.maintainPartitions()],
    [HOUR, "drop messages that are in chunks", (stopped) => telemetry.retireMessages(stopped)],
    [2 * SECOND, "record debounced connect events", () => connections.recordOwedPresence()],
    [HOUR, "send notices about certificates", () => notifications.noticeCertificates()],
    [HOUR, "report devices that lack a new server root", () => parts.platform.reportRollout()],
    [10 * MINUTE, "prune request windows", access.prune],
    [10 * MINUTE, "prune sessions of the admin app", (stopped) => identity.prune(stopped)],
    [10 * MINUTE, "prune claim guesses", enrollment.prune],
    [10 * MINUTE, "prune refusals and session drops", connections.prune],
    [10 * MINUTE, "prune commands for devices", commands.prune],
    [10 * MINUTE, "prune idempotency keys", audit.prune],
    [10 * MINUTE, "prune events", events.prune],
    [10 * MINUTE, "prune notifications", () => notifications.prune()],
    [10 * MINUTE, "prune audit streams", () => notifications.pruneAuditStreams()],
  ];
}
