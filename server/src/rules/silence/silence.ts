import type { Db } from "../../db/database.ts";
import { addMs, MINUTE, SECOND } from "../../lib/clock.ts";
import type { Telemetry } from "../../telemetry/telemetry.ts";
import type { RulesDeps } from "../deps.ts";
import { leaseChecks, type NextCheck, putOffChecks, recheckType } from "./silence-check-store.ts";
import {
  openSilentAnomalies,
  type Period,
  resolvePastSilences,
  type SilenceRow,
  type SilenceState,
  silenceStates,
} from "./silence-store.ts";

/** The number of devices that are checked together. */
const BATCH = 1_000;
/** Bounds a poll, so that the service can stop. The next poll checks the rest. */
const MAX_BATCHES = 100;
/** A process that has not finished a batch by then counts as failed, and the devices are checked again. */
const LEASE_MS = MINUTE;
/** The delay of the first recheck, because a message may have been stored while the anomaly opened. */
const FIRST_RECHECK_MS = 10 * SECOND;

export interface SilenceDeps extends RulesDeps {
  telemetry: Pick<Telemetry, "lastReceived" | "streamLag">;
}

/**
 * Creates the poll for silent devices (`silentForSeconds` of their type), which one process runs every few seconds. It
 * checks the devices whose silence may have become too long. Silence counts from the start of this process, and again
 * from the end of a database outage: no device is blamed for our downtime.
 */
export function createSilencePoll({ database, clock, ids, telemetry }: SilenceDeps): () => Promise<void> {
  let listeningSince = clock.now();
  /** Whether the last poll failed. Messages sent since then may be waiting to be stored. */
  let failed = false;

  async function poll(now: Date): Promise<void> {
    const { db } = database;
    for (let batch = 0; batch < MAX_BATCHES && (await recheckType(db)); batch++);
    const lease = { now, leasedUntil: addMs(now, LEASE_MS) };
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const uids = await leaseChecks(db, lease, BATCH);
      if (uids.length === 0) return;
      await putOffChecks(db, await check(db, uids, { now, listeningSince }), lease.leasedUntil);
    }
  }

  /** Polls as of the time up to which everything is stored: acknowledged messages may wait in the ingest stream. */
  async function pollUnlessBehind(now: Date): Promise<void> {
    const lagMs = await telemetry.streamLag();
    if (lagMs === undefined) failed = true;
    else await poll(addMs(now, -lagMs));
  }

  /** Opens and resolves the anomalies of these devices. @returns the time of each device's next check */
  async function check(db: Db, uids: readonly string[], period: Period): Promise<NextCheck[]> {
    const states = await silenceStates(db, uids, period);
    const past = states.filter(isPast);
    if (past.length > 0) {
      await resolvePastSilences(
        db,
        past.map(({ uid }) => uid),
        period.now,
      );
    }
    const silent = states.filter(({ isSilent, anomalyAt }) => isSilent && anomalyAt === null);
    const heard = heardOf(silent, period.now);
    const rows = silent.filter(({ uid }) => !heard.has(uid)).map((state) => rowOf(state, ids.uuid(period.now)));
    if (rows.length > 0) await openSilentAnomalies(db, rows, period);
    return states.map((state) => ({ uid: state.uid, at: nextCheck(state, period.now, heard.has(state.uid)) }));
  }

  /** Returns the devices from which this process received a message that may be waiting for its commit. */
  function heardOf(silent: readonly SilenceState[], now: Date): ReadonlySet<string> {
    if (silent.length === 0) return new Set();
    const received = telemetry.lastReceived(silent.map(({ uid }) => uid));
    const isHeard = ({ uid, silentForSeconds }: SilenceState) =>
      (received.get(uid) ?? 0) >= (now.getTime() - silentForSeconds! * 1000) * 1000;
    return new Set(silent.filter(isHeard).map(({ uid }) => uid));
  }

  return async () => {
    const now = clock.now();
    if (failed) listeningSince = now;
    failed = false;
    await pollUnlessBehind(now).catch((error: unknown) => {
      failed = true;
      throw error;
    });
  };
}

function rowOf({ uid, silentForSeconds }: SilenceState, id: string): SilenceRow {
  const message = `The device has been silent for more than ${silentForSeconds} s`;
  return { id, device_uid: uid, silent_for_seconds: silentForSeconds!, severity: "major", message };
}

function isPast({ anomalyAt, isSeenAgain, silentForSeconds }: SilenceState): boolean {
  return anomalyAt !== null && (isSeenAgain || silentForSeconds === null);
}

/**
 * Schedules the next check. A device with an anomaly is checked immediately when it connects or the anomaly is
 * resolved. Besides, it is checked at growing intervals, in case a message was stored unnoticed while the anomaly
 * opened. `undefined`: the device has no limit, and is checked once it gets one.
 */
function nextCheck(state: SilenceState, now: Date, isHeard: boolean): string | undefined {
  const { anomalyAt, isSilent, silentForSeconds, limitAt } = state;
  if (anomalyAt !== null) return after(now, Math.max(FIRST_RECHECK_MS, now.getTime() - anomalyAt.getTime()));
  if (silentForSeconds === null) return undefined;
  if (!isSilent) return limitAt;
  return after(now, isHeard ? 1 : FIRST_RECHECK_MS);
}

function after(now: Date, ms: number): string {
  return addMs(now, ms).toISOString();
}
