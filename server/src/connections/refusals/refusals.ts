import { boundedToGroupsOf, useCase } from "../../access/access.ts";
import { addressBlock } from "../../lib/address.ts";
import { addMs, DAY, HOUR, SECOND } from "../../lib/clock.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { type Page, type PageRequest, splitPage } from "../../lib/page.ts";
import { createWriteBehind } from "../../lib/write-behind.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { explainRefusal } from "./refusal-cures.ts";
import { pruneRefusals } from "./refusal-prune-store.ts";
import type { RefusalReason } from "./refusal-reasons.ts";
import {
  type CountedRefusalRow,
  countRepetitions,
  insertRefusals,
  listRefusalRows,
  type RefusalFilter,
  type RefusalRow,
  type Repetition,
  type RevocationReason,
} from "./refusal-store.ts";
import { RefusalWindows } from "./refusal-windows.ts";

/** A refused connect, publish or subscription. Text supplied by a client is truncated. */
export interface Refusal {
  reason: RefusalReason;
  tenantId?: string | undefined;
  clientId?: string | undefined;
  deviceId?: string | undefined;
  serialNumber?: string | undefined;
  fingerprintSha256?: string | undefined;
  remoteAddress?: string | undefined;
  /** The TLS version of a client without credentials, such as `TLSv1.3`. */
  tlsVersion?: string | undefined;
  /** Whether the client only claims to be the device, which anybody may: such entries are the fewest. */
  isDeviceClaimed?: boolean | undefined;
  topic?: string | undefined;
}

export interface RefusalRecord extends Omit<Refusal, "tenantId" | "reason" | "isDeviceClaimed"> {
  id: string;
  at: Date;
  /** A {@link RefusalReason} of the version that recorded it. */
  reason: string;
  /** The reason why the presented certificate was revoked, if it was. */
  revocationReason: RevocationReason | undefined;
  /** The number of refusals of this address and reason that the entry stands for, and the time of the last one. */
  occurrences: number;
  lastAt: Date;
  /** The cause of the refusal and its cure, in sentences. */
  cause: string;
  cure: string;
}

const MAX_AGE_MS = 30 * DAY;
const MAX_BUFFERED = DEFAULT_LIMITS.refusalsWaiting;
const BATCH_MS = 200;
/** The delay of counts, which may be slightly old: under attack, one statement per second then writes them all. */
const COUNTS_MS = SECOND;
const MAX_TEXT = DEFAULT_LIMITS.refusalCharacters;

export interface RefusalJournal {
  recordRefusal(refusal: Refusal): void;
  /** Writes the buffered entries and counts. */
  flush(): Promise<void>;
  prune(stopped?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Creates the journal of refusals. Recording takes no time and cannot fail: entries are buffered and written in
 * batches. If they arrive faster than the database writes, the surplus is counted and dropped. Repeated refusals are
 * counted on the last entry of their address and reason, so that an attack costs only a few entries per minute.
 */
export function createRefusalJournal({ database, clock, ids, logger, limits }: ConnectionsDeps): RefusalJournal {
  const windows = new RefusalWindows(limits.refusalsPerAddress, clock);
  const claims = new RefusalWindows(1, clock, HOUR);
  let buffer: RefusalRow[] = [];
  let repetitions = new Map<string, Repetition>();
  let dropped = 0;
  const entries = createWriteBehind(writeEntries, { delayMs: BATCH_MS });
  const counts = createWriteBehind(writeCounts, { delayMs: COUNTS_MS });

  async function writeEntries(): Promise<void> {
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

  /** Writes the entries first, because the counts belong to them. */
  async function writeCounts(): Promise<void> {
    await entries.flush();
    const repeated = [...repetitions.values()];
    repetitions = new Map();
    if (repeated.length === 0) return;
    await countRepetitions(database.db, repeated).catch((error: Error) =>
      logger.warn({ err: error.message, lost: repeated.length }, "could not write counts of refusals"),
    );
  }

  return {
    recordRefusal(refusal) {
      const now = clock.now();
      const row = toRow(refusal, ids.uuid(now), now);
      const counted = refusal.isDeviceClaimed
        ? claims.entryFor({ ...sourceOf(row), origin: `client ${row.client_id}` }, row.id)
        : windows.entryFor(sourceOf(row), row.id);
      if (counted !== undefined) {
        repetitions.set(counted, { id: counted, count: (repetitions.get(counted)?.count ?? 0) + 1, lastAt: now });
        counts.schedule();
      } else if (buffer.length >= MAX_BUFFERED) {
        dropped++;
      } else {
        buffer.push(row);
        entries.schedule();
      }
    },
    flush: counts.flush,
    prune(stopped) {
      const since = addMs(clock.now(), -MAX_AGE_MS);
      return pruneRefusals(database.db, { entries: limits.refusalEntries, since }, stopped);
    },
    stop: async () => {
      await entries.stop();
      await counts.stop();
    },
  };
}

function sourceOf({ reason, tenant_id, remote_address, client_id }: RefusalRow) {
  const origin = remote_address === null ? `client ${client_id}` : addressBlock(remote_address);
  return { reason, tenantId: tenant_id, origin };
}

export interface RefusalQuery extends PageRequest, Omit<RefusalFilter, "viewer"> {}

/**
 * Returns the refusals of the tenant's clients, newest first. A user who is not an admin sees only those of devices
 * visible to that user. A device or certificate of another tenant matches nothing.
 */
export const listRefusals = useCase(
  { scope: "refusals:read", role: "viewer" },
  async (
    { database, refusals }: ConnectionsDeps & { refusals: RefusalJournal },
    caller,
    query: RefusalQuery,
  ): Promise<Page<RefusalRecord>> => {
    const [page, filter] = splitPage(query);
    const { skip, limit } = page;
    const texts = [filter.deviceId, filter.fingerprintSha256, filter.reason, filter.notReason];
    if (texts.some((text) => text?.includes("\0"))) return { items: [], total: 0, skip, limit };
    await refusals.flush();
    const bounded = { ...filter, viewer: boundedToGroupsOf(caller) };
    const { rows, total } = await listRefusalRows(database.db, caller.tenantId, bounded, page);
    return { items: rows.map(toRecord), total, skip, limit };
  },
);

/** Returns refusals of clients without a known tenant, such as one with an unknown certificate, newest first. */
export const listUnknownRefusals = useCase(
  { role: "platform" },
  async (
    { database, refusals }: ConnectionsDeps & { refusals: RefusalJournal },
    _caller,
    page: PageRequest,
  ): Promise<Page<RefusalRecord>> => {
    await refusals.flush();
    const { rows, total } = await listRefusalRows(database.db, null, {}, page);
    return { items: rows.map(toRecord), total, ...page };
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
    tls_version: truncated(refusal.tlsVersion),
    topic: truncated(refusal.topic),
  };
}

function truncated(text: string | undefined): string | null {
  return text === undefined ? null : text.slice(0, MAX_TEXT).toWellFormed().replaceAll("\0", "");
}

function toRecord(row: CountedRefusalRow): RefusalRecord {
  const revocationReason = row.revocation_reason ?? undefined;
  return {
    id: row.id,
    at: row.at,
    reason: row.reason,
    revocationReason,
    occurrences: Number(row.occurrences),
    lastAt: row.last_at ?? row.at,
    clientId: row.client_id ?? undefined,
    tlsVersion: row.tls_version ?? undefined,
    deviceId: row.device_id ?? undefined,
    serialNumber: row.serial_number ?? undefined,
    fingerprintSha256: row.fingerprint_sha256 ?? undefined,
    remoteAddress: row.remote_address ?? undefined,
    topic: row.topic ?? undefined,
    ...explainRefusal(row.reason, revocationReason),
  };
}
