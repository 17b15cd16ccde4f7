import type { Telemetry } from "../telemetry/telemetry.ts";
import type { RulesDeps } from "./deps.ts";
import { findSilent, openSilentAnomalies, resolvePastSilences, type SilentDevice } from "./silence-store.ts";

/** How many anomalies one statement opens at most. */
const BATCH = 1_000;
/** Before every uid. */
const FIRST = "00000000-0000-0000-0000-000000000000";

export interface SilenceDeps extends RulesDeps {
  telemetry: Pick<Telemetry, "lastReceived">;
}

/**
 * Makes the poll for devices that have fallen silent (`silentForSeconds` of their type), which every process runs every few seconds.
 * Silence counts from the start of this process, and again from the end of a database outage: no device is blamed for ours.
 */
export function createSilencePoll({ database, clock, ids, telemetry }: SilenceDeps): () => Promise<void> {
  let listeningSince = clock.now();
  /** The last poll failed: messages that devices sent since may be waiting to be stored. */
  let failed = false;

  async function poll(now: Date): Promise<void> {
    const { db } = database;
    await resolvePastSilences(db, now);
    for (let after: string | undefined = FIRST; after !== undefined; ) {
      const found = await findSilent(db, { now, listeningSince, after }, BATCH);
      after = found.length === BATCH ? found.at(-1)!.uid : undefined;
      const rows = unheard(found, now).map(({ uid, silentForSeconds }) => ({
        id: ids.uuid(now),
        device_uid: uid,
        silent_for_seconds: silentForSeconds,
        severity: "major" as const,
        message: `The device has been silent for more than ${silentForSeconds} s`,
      }));
      if (rows.length > 0) await openSilentAnomalies(db, rows, { now, listeningSince });
    }
  }

  /** Without those that this process received a message of, which may wait for its commit. */
  function unheard(found: readonly SilentDevice[], now: Date): readonly SilentDevice[] {
    if (found.length === 0) return found;
    const received = telemetry.lastReceived(found.map(({ uid }) => uid));
    return found.filter(
      ({ uid, silentForSeconds }) => (received.get(uid) ?? 0) < (now.getTime() - silentForSeconds * 1000) * 1000,
    );
  }

  return async () => {
    const now = clock.now();
    if (failed) listeningSince = now;
    failed = false;
    await poll(now).catch((error: unknown) => {
      failed = true;
      throw error;
    });
  };
}
