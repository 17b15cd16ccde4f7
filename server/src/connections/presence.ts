import { writeLastConnected } from "../certificates/certificates.ts";
import type { Db } from "../db/database.ts";
import type { Logger } from "../lib/logger.ts";
import { deleteSessions, type PresenceRow, writePresence } from "./session-store.ts";

/** How long news is gathered: one statement then serves every connect of that time. */
const GATHER_MS = 20;
const RETRY_MS = 500;

export interface Presence {
  /** The device of a session came online, by this certificate. */
  online(news: Omit<PresenceRow, "online" | "reason">, certificateId: string | null): void;
  /** A session ended; its row goes and, unless a newer one has spoken, its device is offline. */
  ended(session: { clientId: string; sessionId: string }, news: Omit<PresenceRow, "online"> | undefined): void;
  /** Writes what is gathered now; resolves when everything told before the call is in the database. Rejects if not. */
  flush(): Promise<void>;
  /** Writes the last of it, as far as the database lets it. */
  stop(): Promise<void>;
}

/**
 * Gathers what sessions do to rows of devices and certificates, so that a connect locks none of them. What could not be
 * written is kept and tried again; only the newest word of a device is kept, so it is bounded by their number.
 */
export function createPresence(db: Db, logger: Logger): Presence {
  let devices = new Map<string, PresenceRow>();
  let connected = new Map<string, Date>();
  let ended = new Map<string, { clientId: string; sessionId: string }>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;

  function tell(row: PresenceRow): void {
    const known = devices.get(row.deviceUid);
    if (known && isNewer(known, row)) return;
    devices.set(row.deviceUid, row);
  }

  function later(ms: number): void {
    if (stopped) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      flush().catch((error: Error) => {
        logger.warn({ err: error.message }, "could not write presence; it will be tried again");
        later(RETRY_MS);
      });
    }, ms).unref();
  }

  async function flush(): Promise<void> {
    while (running) await running.catch(() => undefined);
    if (devices.size + connected.size + ended.size === 0) return;
    running = write().finally(() => {
      running = undefined;
    });
    await running;
  }

  async function write(): Promise<void> {
    const batch = { devices, connected, ended };
    devices = new Map();
    connected = new Map();
    ended = new Map();
    try {
      if (batch.ended.size > 0) await deleteSessions(db, [...batch.ended.values()]);
      batch.ended.clear();
      // Before the device is shown online: whoever sees that sees its certificate's last connect too.
      if (batch.connected.size > 0) await writeLastConnected(db, batch.connected);
      batch.connected.clear();
      if (batch.devices.size > 0) await writePresence(db, [...batch.devices.values()]);
    } catch (error) {
      keep(batch);
      throw error;
    }
  }

  function keep(batch: { devices: typeof devices; connected: typeof connected; ended: typeof ended }): void {
    for (const [id, session] of batch.ended) ended.set(id, session);
    for (const row of batch.devices.values()) tell(row);
    for (const [id, at] of batch.connected) if (!connected.has(id)) connected.set(id, at);
  }

  return {
    online(news, certificateId) {
      tell({ ...news, online: true, reason: null });
      if (certificateId !== null) connected.set(certificateId, news.at);
      later(GATHER_MS);
    },
    ended(session, news) {
      ended.set(session.sessionId, session);
      if (news) tell({ ...news, online: false });
      later(GATHER_MS);
    },
    flush,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await flush().catch((error: Error) => logger.warn({ err: error.message }, "presence was not written at the end"));
    },
  };
}

function isNewer(known: PresenceRow, row: PresenceRow): boolean {
  const difference = BigInt(known.seq) - BigInt(row.seq);
  return difference > 0n || (difference === 0n && !known.online);
}
