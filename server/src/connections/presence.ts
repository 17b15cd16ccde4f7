import { lastConnectedStatement } from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { runPipelined } from "../db/statement.ts";
import { type PresenceRow, presenceStatement, recordOwedEvents } from "../devices/devices.ts";
import { batchesOf } from "../lib/batching/batches-of.ts";
import { createWriteBehind } from "../lib/write-behind.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { deleteSessions } from "./session-store.ts";

/** The time for which changes are collected: one statement then serves every connect within it. */
const BATCH_MS = 100;
const RETRY_MS = 500;
const OWED_BATCH = 1_000;

export interface Presence {
  /** Records that a session's device came online with this certificate. */
  online(change: Omit<PresenceRow, "online" | "reason">, certificateId: string | null): void;
  /**
   * Records a session's end: its row is removed, and its device is offline unless a later session has set it online.
   */
  ended(session: { clientId: string; sessionId: string }, change: Omit<PresenceRow, "online"> | undefined): void;
  /**
   * Writes the collected changes; resolves when every change before the call is in the database, and rejects otherwise.
   */
  flush(): Promise<void>;
  /** Records connect events, of any process, that were debounced and are now due. */
  recordOwed(): Promise<void>;
  /** Writes the remaining changes. @returns false if the database is unreachable */
  stop(): Promise<boolean>;
}

/** The newest change of a device and, if that is its end, the connect before it: a short visit has both. */
interface Visit {
  online?: PresenceRow;
  last: PresenceRow;
}

/** The pending writes: the newest changes of each device, connect times of certificates, and sessions to remove. */
class PendingChanges {
  readonly devices = new Map<string, Visit>();
  readonly connected = new Map<string, Date>();
  readonly ended = new Map<string, { clientId: string; sessionId: string }>();

  get isEmpty(): boolean {
    return this.devices.size + this.connected.size + this.ended.size === 0;
  }

  setPresence(row: PresenceRow): void {
    const known = this.devices.get(row.deviceUid);
    if (known && isNewer(known.last, row)) return;
    const online = row.online ? row : known?.last.online ? known.last : known?.online;
    this.devices.set(row.deviceUid, online && online !== row ? { online, last: row } : { last: row });
  }

  /** Puts back changes that could not be written, unless there are newer ones. */
  restore({ devices, connected, ended }: PendingChanges): void {
    for (const [id, session] of ended) this.ended.set(id, session);
    for (const [id, at] of connected) if (!this.connected.has(id)) this.connected.set(id, at);
    for (const { online, last } of devices.values()) {
      const newer = this.devices.get(last.deviceUid);
      this.devices.delete(last.deviceUid);
      for (const row of [online, last, newer?.online, newer?.last]) if (row) this.setPresence(row);
    }
  }

  /**
   * Writes the changes. A crash midway leaves no device online: its session is removed last, and until then its node's
   * reaper sets it offline. A reader that sees a device online also sees its certificate's last connect. Both are
   * written in one transaction, in the order in which all transactions lock them; if there are very many, certificates
   * are written first.
   */
  async write(db: Db, dampSeconds: number): Promise<void> {
    const rows = [...this.devices.values()].map(({ online, last }) => ({ ...last, connect: online }));
    const presence = Array.from(batchesOf(rows), (some) => presenceStatement(some, dampSeconds));
    const connects = Array.from(batchesOf([...this.connected]), lastConnectedStatement);
    if (presence.length === 1) await runPipelined(db, [...presence, ...connects]);
    else for (const each of [...connects, ...presence]) await runPipelined(db, [each]);
    this.devices.clear();
    this.connected.clear();
    for (const some of batchesOf([...this.ended.values()])) await deleteSessions(db, some);
  }
}

/**
 * Creates the write-behind cache of the changes that sessions make to rows of devices and certificates, so that a
 * connect locks none of them. A failed write is retried. Only the newest change per device is stored, so the number of
 * devices limits the memory.
 */
export function createPresence({ database, clock, logger, limits }: ConnectionsDeps): Presence {
  const db = database.connects;
  let pending = new PendingChanges();
  const onFailure = (error: Error) => logger.warn({ err: error.message }, "could not write presence; retrying");
  const writes = createWriteBehind(write, { delayMs: BATCH_MS, retry: { afterMs: RETRY_MS, onFailure } });

  async function write(): Promise<void> {
    if (pending.isEmpty) return;
    const batch = pending;
    pending = new PendingChanges();
    try {
      await batch.write(db, limits.presenceSeconds);
    } catch (error) {
      pending.restore(batch);
      throw error;
    }
  }

  return {
    online(change, certificateId) {
      pending.setPresence({ ...change, online: true, reason: null });
      if (certificateId !== null) pending.connected.set(certificateId, change.at);
      writes.schedule();
    },
    ended(session, change) {
      pending.ended.set(session.sessionId, session);
      if (change) pending.setPresence({ ...change, online: false });
      writes.schedule();
    },
    flush: writes.flush,
    async recordOwed() {
      while ((await recordOwedEvents(db, clock.now(), limits.presenceSeconds, OWED_BATCH)) === OWED_BATCH);
    },
    stop: () =>
      writes.stop().then(
        () => true,
        (error: Error) => {
          logger.warn({ err: error.message }, "could not write presence while stopping");
          return false;
        },
      ),
  };
}

function isNewer(known: PresenceRow, row: PresenceRow): boolean {
  const difference = BigInt(known.seq) - BigInt(row.seq);
  return difference > 0n || (difference === 0n && !known.online);
}
