import type { RulesDeps } from "./deps.ts";
import { findSilent, openSilentAnomalies, resolvePastSilences } from "./silence-store.ts";

/** How many anomalies one statement opens at most. */
const BATCH = 1_000;

/**
 * Makes the poll for devices that have fallen silent (`silentForSeconds` of their type), which every process runs every few seconds.
 * Silence counts from the start of this process, and again from the end of a database outage: no device is blamed for ours.
 */
export function createSilencePoll({ database, clock, ids }: RulesDeps): () => Promise<void> {
  let listeningSince = clock.now();
  /** The last poll failed: messages that devices sent since may be waiting to be stored. */
  let failed = false;

  async function poll(now: Date): Promise<void> {
    const { db } = database;
    await resolvePastSilences(db, now);
    for (;;) {
      const silent = await findSilent(db, { now, listeningSince }, BATCH);
      if (silent.length === 0) return;
      const rows = silent.map(({ uid, silentForSeconds }) => ({
        id: ids.uuid(now),
        device_uid: uid,
        silent_for_seconds: silentForSeconds,
        severity: "major" as const,
        message: `The device has been silent for more than ${silentForSeconds} s`,
      }));
      await openSilentAnomalies(db, rows, { now, listeningSince });
      if (silent.length < BATCH) return;
    }
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
