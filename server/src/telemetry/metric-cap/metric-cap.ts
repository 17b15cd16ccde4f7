import type { Db } from "../../db/database.ts";
import type { BoundStatement } from "../../db/statement.ts";
import type { Limits } from "../../lib/limits/limits.ts";
import { RecentMap } from "../../lib/recent-map.ts";
import type { PreparedMessage } from "../ingest/batch.ts";
import { reject } from "../ingest/prepare-message.ts";
import type { PendingMessage } from "../queue/pending-message.ts";
import { quoted } from "../reading.ts";
import { type DeviceMetrics, findKnownMetrics, guardMetrics } from "./metric-cap-store.ts";

/** Names in memory, of all devices. A device whose names are dropped costs one query. */
const MAX_NAMES = 1_000_000;

/**
 * Bounds the metrics of a device (`metricsPerDevice`). A metric of a device stays until the device is deleted, so this process remembers
 * which are stored: only a message with another one asks the database, and the batch that adds it is checked there again.
 */
export interface MetricCap {
  /** Rejects those of `batch` that would add a metric beyond the limit, in the order of the batch. */
  admit(batch: readonly PendingMessage[]): Promise<Admission>;
}

export interface Admission {
  /** The statements that the batch's transaction begins with. */
  guards: readonly BoundStatement[];
  /** To be called once the batch is stored. */
  confirm(): void;
}

const NOTHING_NEW: Admission = { guards: [], confirm: () => undefined };

/** A message and the metrics of its device that this process does not know of. */
interface Asked {
  pending: PendingMessage;
  deviceUid: string;
  metrics: readonly string[];
}

export function createMetricCap(db: Db, { metricsPerDevice: limit }: Pick<Limits, "metricsPerDevice">): MetricCap {
  const known = createKnownMetrics();
  return {
    async admit(batch) {
      const asked: Asked[] = [];
      for (const pending of batch) {
        const { deviceUid } = pending.prepared;
        const metrics = known.unknownOf(deviceUid, pending);
        if (metrics.size > 0) asked.push({ pending, deviceUid, metrics: [...metrics] });
      }
      if (asked.length === 0) return NOTHING_NEW;
      const rooms = await roomsOf(db, asked, limit);
      const admitted = asked.filter((each) => rooms.get(each.deviceUid)!.admit(each, limit));
      const growing = admitted.filter(({ deviceUid }) => rooms.get(deviceUid)!.isGrowing);
      return {
        guards: growing.length > 0 ? guardMetrics(pairsOf(growing), limit) : [],
        confirm: () => known.add(admitted),
      };
    },
  };
}

async function roomsOf(db: Db, asked: readonly Asked[], limit: number): Promise<Map<string, Room>> {
  const rows = await findKnownMetrics(db, pairsOf(asked), limit);
  return new Map(rows.map(({ deviceUid, stored, missing }) => [deviceUid, new Room(stored, new Set(missing))]));
}

function pairsOf(asked: readonly Asked[]): DeviceMetrics {
  return {
    deviceUids: asked.flatMap(({ deviceUid, metrics }) => metrics.map(() => deviceUid)),
    metrics: asked.flatMap(({ metrics }) => metrics),
  };
}

/** What a device may add. */
class Room {
  isGrowing = false;
  #stored: number;
  readonly #missing: Set<string>;

  constructor(stored: number, missing: Set<string>) {
    this.#stored = stored;
    this.#missing = missing;
  }

  /** @returns false for a message that it rejects */
  admit({ pending, metrics }: Asked, limit: number): boolean {
    const added = metrics.filter((metric) => this.#missing.has(metric));
    if (added.length > 0 && this.#stored + added.length > limit) {
      rejectMessage(pending, added, limit);
      return false;
    }
    for (const metric of added) this.#missing.delete(metric);
    this.#stored += added.length;
    this.isGrowing ||= added.length > 0;
    return true;
  }
}

function rejectMessage(pending: PendingMessage, added: readonly string[], limit: number): void {
  const others = added.length > 1 ? ` and ${added.length - 1} more` : "";
  const reason = `the device has reached its ${limit} metrics; ${quoted(added[0]!)}${others} would be added`;
  pending.prepared = reject(pending.message, { cause: "metrics_per_device", reason }, pending.prepared.receivedAt);
  pending.parts = [];
}

/** The metrics of devices that this process knows to be stored. */
function createKnownMetrics() {
  const known = new RecentMap<string, Set<string>>(MAX_NAMES, ({ size }) => size);
  return {
    /** The metrics of a message that are not known: of all its parts, since it is rejected as a whole. */
    unknownOf(deviceUid: string, { prepared, parts }: PendingMessage): ReadonlySet<string> {
      const stored = known.get(deviceUid);
      if (stored !== undefined && parts.length === 0 && hasAll(stored, prepared)) return NONE;
      const unknown = new Set<string>();
      for (const { readings } of [prepared, ...parts]) {
        for (const { metrics } of readings) for (const metric of metrics) if (!stored?.has(metric)) unknown.add(metric);
      }
      return unknown;
    },
    /** Of a message in parts only the part that was stored, and a metric once its latest value is. */
    add(stored: readonly Asked[]): void {
      for (const { deviceUid, pending } of stored) {
        const { readings, evaluated } = pending.prepared;
        if (evaluated?.length === 0) continue;
        const names = known.get(deviceUid) ?? new Set();
        known.delete(deviceUid);
        for (const { metrics } of readings) for (const metric of metrics) names.add(metric);
        known.set(deviceUid, names);
      }
    },
  };
}

const NONE: ReadonlySet<string> = new Set();

function hasAll(stored: ReadonlySet<string>, { readings }: PreparedMessage): boolean {
  for (const { metrics } of readings) for (const metric of metrics) if (!stored.has(metric)) return false;
  return true;
}
