import { useCase } from "../access/access.ts";
import { addMs, DAY } from "../lib/clock.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import { createWriteBehind } from "../lib/write-behind.ts";
import type { ConnectionsDeps } from "./deps.ts";
import type { RefusalReason } from "./refusal-reasons.ts";
import { insertRefusals, listRefusalRows, pruneRefusals, type RefusalRow } from "./refusal-store.ts";

/** A refused connect, publish or subscription. Text that a client supplied is truncated. */
export interface Refusal {
  reason: RefusalReason;
  tenantId?: string | undefined;
  clientId?: string | undefined;
  deviceId?: string | undefined;
  serialNumber?: string | undefined;
  fingerprintSha256?: string | undefined;
  remoteAddress?: string | undefined;
  topic?: string | undefined;
}

export interface RefusalRecord extends Omit<Refusal, "tenantId" | "reason"> {
  id: string;
  at: Date;
  /** A {@link RefusalReason} of the version that recorded it. */
  reason: string;
}

/** Retention of the journal: the newest entries of each tenant, up to an age. */
const MAX_EACH_TENANT = 1_000;
const MAX_AGE_MS = 30 * DAY;
const MAX_BUFFERED = 1_000;
const BATCH_MS = 200;
const MAX_TEXT = 256;

export interface RefusalJournal {
  recordRefusal(refusal: Refusal): void;
  /** Writes the buffered entries. */
  flush(): Promise<void>;
  prune(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The journal of refusals. Recording takes no time and cannot fail: entries are buffered and written in batches; when
 * they arrive faster than the database writes, the surplus is counted and dropped.
 */
export function createRefusalJournal({ database, clock, ids, logger }: ConnectionsDeps): RefusalJournal {
  let buffer: RefusalRow[] = [];
  let dropped = 0;
  const { schedule, flush, stop } = createWriteBehind(write, { delayMs: BATCH_MS });

  async function write(): Promise<void> {
    const rows = buffer;
    if (rows.length === 0) return;
    buffer = [];
    await insertRefusals(database.db, rows).catch((error: Error) =>
      logger.warn({ err: error.message, lost: rows.length }, "could not write refusals"),
    );
    if (dropped > 0)
      logger.warn({ dropped }, "refusals arrive faster than they can be written; the surplus is dropped");
    dropped = 0;
  }

  return {
    recordRefusal(refusal) {
      if (buffer.length >= MAX_BUFFERED) {
        dropped++;
        return;
      }
      const now = clock.now();
      buffer.push(toRow(refusal, ids.uuid(now), now));
      schedule();
    },
    flush,
    prune: () => pruneRefusals(database.db, MAX_EACH_TENANT, addMs(clock.now(), -MAX_AGE_MS)),
    stop,
  };
}

/** The tenant's refusals, newest first. */
export const listRefusals = useCase(
  { scope: "devices:read", role: "admin" },
  async (
    { database, refusals }: ConnectionsDeps & { refusals: RefusalJournal },
    caller,
    { skip, limit }: PageRequest,
  ): Promise<Page<RefusalRecord>> => {
    await refusals.flush();
    const { rows, total } = await listRefusalRows(database.db, caller.tenantId, skip, limit);
    return { items: rows.map(toRecord), total, skip, limit };
  },
);

function toRow(refusal: Refusal, id: string, at: Date): RefusalRow {
  return {
    id,
    at,
    tenant_id: refusal.tenantId ?? null,
    reason: refusal.reason,
    client_id: truncated(refusal.clientId),
    device_id: truncated(refusal.deviceId),
    serial_number: truncated(refusal.serialNumber),
    fingerprint_sha256: truncated(refusal.fingerprintSha256),
    remote_address: truncated(refusal.remoteAddress),
    topic: truncated(refusal.topic),
  };
}

function truncated(text: string | undefined): string | null {
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
