import { type Caller, requireScope } from "../access/access.ts";
import { addMs, DAY } from "../lib/clock.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { insertRefusals, listRefusalRows, pruneRefusals, type RefusalRow } from "./refusal-store.ts";

/** A connect, publish or subscription that was refused, as the journal keeps it. Text from strangers is cut. */
export interface Refusal {
  /** E.g. `no_chain`, `revoked`, `client_id_mismatch`, `topic_not_authorised`, `bad_credentials`, `takeover`. */
  reason: string;
  tenantId?: string | undefined;
  clientId?: string | undefined;
  deviceId?: string | undefined;
  serialNumber?: string | undefined;
  fingerprintSha256?: string | undefined;
  remoteAddress?: string | undefined;
  topic?: string | undefined;
}

export interface RefusalRecord extends Omit<Refusal, "tenantId"> {
  id: string;
  at: Date;
}

const KEEP_EACH_TENANT = 1_000;
const KEEP_MS = 30 * DAY;
const BUFFERED = 1_000;
const GATHER_MS = 200;
const MAX_TEXT = 256;

export interface RefusalJournal {
  recordRefusal(refusal: Refusal): void;
  listRefusals(caller: Caller, page: PageRequest): Promise<Page<RefusalRecord>>;
  /** Writes what is gathered. */
  flush(): Promise<void>;
  prune(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The journal of refusals. Noting one takes no time and cannot fail: entries are gathered and written in batches, and
 * when strangers are faster than the database the surplus is counted and dropped.
 */
export function createRefusalJournal({ database, clock, ids, logger }: ConnectionsDeps): RefusalJournal {
  let gathered: RefusalRow[] = [];
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  async function flush(): Promise<void> {
    while (running) await running;
    const rows = gathered;
    if (rows.length === 0) return;
    gathered = [];
    running = insertRefusals(database.db, rows)
      .catch((error: Error) => logger.warn({ err: error.message, lost: rows.length }, "refusals were not journalled"))
      .finally(() => {
        running = undefined;
      });
    await running;
    if (dropped > 0) logger.warn({ dropped }, "more refusals than the journal takes; the surplus is dropped");
    dropped = 0;
  }

  return {
    recordRefusal(refusal) {
      if (gathered.length >= BUFFERED) {
        dropped++;
        return;
      }
      const now = clock.now();
      gathered.push(toRow(refusal, ids.uuid(now), now));
      timer ??= setTimeout(() => {
        timer = undefined;
        void flush();
      }, GATHER_MS).unref();
    },
    async listRefusals(caller, { skip, limit }) {
      requireScope(caller, "devices:read");
      await flush();
      const { rows, total } = await listRefusalRows(database.db, caller.tenantId, skip, limit);
      return { items: rows.map(toRecord), total, skip, limit };
    },
    flush,
    prune: () => pruneRefusals(database.db, KEEP_EACH_TENANT, addMs(clock.now(), -KEEP_MS)),
    async stop() {
      clearTimeout(timer);
      await flush();
    },
  };
}

function toRow(refusal: Refusal, id: string, at: Date): RefusalRow {
  return {
    id,
    at,
    tenant_id: refusal.tenantId ?? null,
    reason: refusal.reason,
    client_id: cut(refusal.clientId),
    device_id: cut(refusal.deviceId),
    serial_number: cut(refusal.serialNumber),
    fingerprint_sha256: cut(refusal.fingerprintSha256),
    remote_address: cut(refusal.remoteAddress),
    topic: cut(refusal.topic),
  };
}

function cut(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, MAX_TEXT).toWellFormed().replaceAll("\0", "");
}

function toRecord(row: RefusalRow): RefusalRecord {
  return {
    id: row.id,
    at: row.at,
    reason: row.reason,
    clientId: row.client_id ?? undefined,
    deviceId: row.device_id ?? undefined,
    serialNumber: row.serial_number ?? undefined,
    fingerprintSha256: row.fingerprint_sha256 ?? undefined,
    remoteAddress: row.remote_address ?? undefined,
    topic: row.topic ?? undefined,
  };
}
