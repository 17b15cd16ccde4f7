import type { Database } from "../../db/database.ts";
import { DAY } from "../../lib/clock.ts";
import type { PreparedMessage } from "../message.ts";
import { createDayPartition, DEFAULT_RETENTION_DAYS, listRetentionOverrides } from "../partitions/partition-store.ts";
import type { RowRetention, RowTime } from "../row-retention.ts";

/** The channel on which the database announces that a tenant's retention has changed. */
const RETENTION_CHANGED = "muster_retention";
const DAY_US = DAY * 1000;

/**
 * Routes each row to a partition by its tenant's retention and its day. Retentions and existing partitions are cached,
 * so that a batch needs no query for them. If the cache is stale, storing the batch fails.
 */
export interface PartitionTargets {
  /** Returns the retention of each row, or nothing if all have the default. The partitions exist once it resolves. */
  of(messages: readonly PreparedMessage[], rows: readonly RowTime[], nowMs: number): Promise<RowRetention[]>;
  /** Empties the cache. */
  invalidate(): void;
}

export function createPartitionTargets(database: Pick<Database, "db" | "listen">): PartitionTargets {
  const { db } = database;
  const existing = new Set<string>();
  let overrides: ReadonlyMap<string, number> | undefined;
  let listening: Promise<unknown> | undefined;
  /** Counts the notifications: overrides loaded while one arrived may be older than it. */
  let changes = 0;

  function onChange(): void {
    changes++;
    overrides = undefined;
  }

  async function currentOverrides(): Promise<ReadonlyMap<string, number>> {
    if (overrides) return overrides;
    listening ??= database.listen(RETENTION_CHANGED, onChange);
    await listening.catch((error: unknown) => {
      listening = undefined;
      throw error;
    });
    const before = changes;
    const loaded = await listRetentionOverrides(db);
    if (changes === before) overrides = loaded;
    return loaded;
  }

  async function create(key: string): Promise<void> {
    const [retentionDays, day] = key.split(" ").map(Number) as [number, number];
    await createDayPartition(db, { retentionDays, day });
    existing.add(key);
  }

  return {
    async of(messages, rows, nowMs) {
      const retention = rowRetention(messages, rows, await currentOverrides(), nowMs);
      for (const key of partitionKeys(rows, retention)) if (!existing.has(key)) await create(key);
      return retention;
    },
    invalidate() {
      existing.clear();
      overrides = undefined;
    },
  };
}

/** Returns the retention of each row, or 0 if it is over: the partition of that day may already be dropped. */
function rowRetention(
  messages: readonly PreparedMessage[],
  rows: readonly RowTime[],
  overrides: ReadonlyMap<string, number>,
  nowMs: number,
): RowRetention[] {
  const byDevice = new Map<string, number>();
  if (overrides.size === 0) return [];
  for (const { deviceUid, tenantId } of messages) {
    const days = overrides.get(tenantId);
    if (days !== undefined) byDevice.set(deviceUid, days);
  }
  if (byDevice.size === 0) return [];
  return rows.map(({ deviceUid, time }) => {
    const days = byDevice.get(deviceUid);
    return days !== undefined && time < (nowMs - days * DAY) * 1000 ? 0 : days;
  });
}

/** Returns the partitions of the rows, each as `<retention days> <day since 1970>`. */
function partitionKeys(rows: readonly RowTime[], retention: readonly RowRetention[]): Set<string> {
  const keys = new Set<string>();
  let [lastRetention, lastDay]: [RowRetention, number] = [undefined, -1];
  for (let row = 0; row < rows.length; row++) {
    const day = Math.floor(rows[row]!.time / DAY_US);
    if (day === lastDay && retention[row] === lastRetention) continue;
    [lastRetention, lastDay] = [retention[row], day];
    if (lastRetention !== 0) keys.add(`${lastRetention ?? DEFAULT_RETENTION_DAYS} ${day}`);
  }
  return keys;
}
