import { writeLastConnected } from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import { type PresenceRow, writePresence } from "../devices/devices.ts";
import type { Logger } from "../lib/logger.ts";
import { createWriteBehind } from "../lib/write-behind.ts";
import { deleteSessions } from "./session-store.ts";

/** How long changes are collected: one statement then serves every connect of that time. */
const BATCH_MS = 20;
const RETRY_MS = 500;

export interface Presence {
  /** The device of a session came online, by this certificate. */
  online(change: Omit<PresenceRow, "online" | "reason">, certificateId: string | null): void;
  /** A session ended: its row is removed, and its device is offline unless a later session has set it online. */
  ended(session: { clientId: string; sessionId: string }, change: Omit<PresenceRow, "online"> | undefined): void;
  /** Writes what is collected; resolves when every change before the call is in the database. Rejects if not. */
  flush(): Promise<void>;
  /** Writes the remaining changes if the database is reachable. */
  stop(): Promise<void>;
}

/** What is to be written: the newest change of each device, connect times of certificates, sessions to remove. */
class PendingChanges {
  readonly devices = new Map<string, PresenceRow>();
  readonly connected = new Map<string, Date>();
  readonly ended = new Map<string, { clientId: string; sessionId: string }>();

  get isEmpty(): boolean {
    return this.devices.size + this.connected.size + this.ended.size === 0;
  }

  setPresence(row: PresenceRow): void {
    const known = this.devices.get(row.deviceUid);
    if (!known || !isNewer(known, row)) this.devices.set(row.deviceUid, row);
  }

  /** Puts back changes that could not be written; newer ones stay. */
  restore({ devices, connected, ended }: PendingChanges): void {
    for (const [id, session] of ended) this.ended.set(id, session);
    for (const row of devices.values()) this.setPresence(row);
    for (const [id, at] of connected) if (!this.connected.has(id)) this.connected.set(id, at);
  }

  async write(db: Db): Promise<void> {
    if (this.ended.size > 0) await deleteSessions(db, [...this.ended.values()]);
    this.ended.clear();
    // Before the device is online: a reader that sees it online also sees its certificate's last connect.
    if (this.connected.size > 0) await writeLastConnected(db, this.connected);
    this.connected.clear();
    if (this.devices.size > 0) await writePresence(db, [...this.devices.values()]);
  }
}

/**
 * Collects the changes that sessions make to rows of devices and certificates, so that a connect locks none of them. A failed
 * write is retried; only the newest change of a device is kept, so the number of devices bounds it.
 */
export function createPresence(db: Db, logger: Logger): Presence {
  let pending = new PendingChanges();
  const onFailure = (error: Error) => logger.warn({ err: error.message }, "could not write presence; retrying");
  const writes = createWriteBehind(write, { delayMs: BATCH_MS, retry: { afterMs: RETRY_MS, onFailure } });

  async function write(): Promise<void> {
    if (pending.isEmpty) return;
    const batch = pending;
    pending = new PendingChanges();
    try {
      await batch.write(db);
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
    async stop() {
      await writes
        .stop()
        .catch((error: Error) => logger.warn({ err: error.message }, "could not write presence at the stop"));
    },
  };
}

function isNewer(known: PresenceRow, row: PresenceRow): boolean {
  const difference = BigInt(known.seq) - BigInt(row.seq);
  return difference > 0n || (difference === 0n && !known.online);
}
