import { inTransaction } from "../../db/transaction.ts";
import { addMs, DAY, MINUTE, SECOND } from "../../lib/clock.ts";
import type { NotificationsDeps } from "../deps.ts";
import { entryOf, type StreamedEntry } from "./formats.ts";
import { sendEntries } from "./send-entries.ts";
import {
  acknowledge,
  dropOverdue,
  type LeasedStream,
  leaseStreams,
  readOutbox,
  releaseStream,
} from "./stream-store.ts";

/** Delivers the audits of tenants to their receivers. */
export interface StreamDelivery {
  /** Starts the delivery of streams that are due, without waiting for it. */
  tickAuditStreams(): Promise<void>;
  /** Waits until no delivery of this process is under way. */
  auditStreamsIdle(): Promise<void>;
  /** Drops entries that have waited too long, and counts them as lost. */
  pruneAuditStreams(): Promise<void>;
  /** Abandons the deliveries under way; their entries are sent again. */
  stopAuditStreams(): Promise<void>;
}

/** The entries of one message to a receiver. */
const BATCH = 200;
/** The messages after which another stream has its turn. */
const MOST_BATCHES = 20;
/** The streams that a process delivers at a time, so that slow receivers delay no others. */
const AT_ONCE = 8;
const LEASE_MS = MINUTE;
const LONGEST_PAUSE_MS = 5 * MINUTE;
const DROPPED_AT_ONCE = 5_000;

export function createStreamDelivery(deps: NotificationsDeps): StreamDelivery {
  const { database, clock, ids, limits, logger, metrics } = deps;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();

  async function deliver(stream: LeasedStream): Promise<void> {
    let error: string | null = null;
    try {
      for (let batch = 0; batch < MOST_BATCHES; batch++) if (!(await sendBatch(stream))) break;
    } catch (reason) {
      error = (reason as Error).message.slice(0, 500);
      logger.warn({ tenant: stream.slug, err: error }, "the audit stream could not be delivered");
    }
    const pause = error === null ? 0 : Math.min(LONGEST_PAUSE_MS, SECOND * 2 ** Math.min(stream.failures, 16));
    await releaseStream(database.db, stream, { nextAt: addMs(clock.now(), pause), error });
  }

  /** @returns whether more entries may wait */
  async function sendBatch(stream: LeasedStream): Promise<boolean> {
    const rows = await readOutbox(database.db, stream.tenant_id, BATCH);
    if (rows.length === 0) return false;
    const entries = rows.map((row) => entryOf(row, stream.slug));
    const refused = await send(deps, stream, entries, stopping.signal);
    if (refused > 0) logger.error({ tenant: stream.slug, refused }, "the receiver of the audit stream refused entries");
    const now = clock.now();
    const sent = { seqs: rows.map(({ seq }) => seq), now, until: addMs(now, LEASE_MS), refused };
    const isOurs = await inTransaction(database.db, (tx) => acknowledge(tx, stream, sent));
    if (isOurs) metrics.auditStreamEntries.inc({ result: "sent" }, rows.length - refused);
    if (isOurs) metrics.auditStreamEntries.inc({ result: "refused" }, refused);
    return isOurs && rows.length === BATCH && !stopping.signal.aborted;
  }

  return {
    async tickAuditStreams() {
      const limit = AT_ONCE - running.size;
      if (limit <= 0 || stopping.signal.aborted) return;
      const now = clock.now();
      const lease = { lease: ids.uuid(now), now, until: addMs(now, LEASE_MS), limit };
      for (const stream of await leaseStreams(database.db, lease)) {
        const work = deliver(stream)
          .catch((error: Error) => logger.warn({ err: error.message }, "the audit stream could not be released"))
          .finally(() => running.delete(work));
        running.add(work);
      }
    },
    async auditStreamsIdle() {
      await Promise.all(running);
    },
    async pruneAuditStreams() {
      const before = addMs(clock.now(), -limits.auditStreamDays * DAY);
      const dropped = await dropOverdue(database.db, before, DROPPED_AT_ONCE);
      metrics.auditStreamEntries.inc({ result: "dropped" }, dropped);
      if (dropped > 0) logger.error({ dropped }, "audit entries were dropped that no receiver took in time");
    },
    async stopAuditStreams() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** Sends a batch and counts it. @returns how many entries the receiver refused for good */
async function send(
  deps: NotificationsDeps,
  stream: LeasedStream,
  entries: readonly StreamedEntry[],
  abandon: AbortSignal,
): Promise<number> {
  const { kind } = stream;
  const { auditStreamDeliveries: deliveries } = deps.metrics;
  try {
    const refused = await sendEntries(deps, stream, entries, abandon);
    deliveries.inc({ kind, result: "sent" });
    return refused;
  } catch (error) {
    deliveries.inc({ kind, result: "failed" });
    throw error;
  }
}
