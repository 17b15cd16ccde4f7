import type { Database } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Limits } from "../lib/limits/limits.ts";
import type { Logger } from "../lib/logger.ts";
import type { BatchEvaluator } from "./batch/batch-evaluator.ts";
import { createPartitionTargets } from "./batch/partition-targets.ts";
import { createRepeats } from "./batch/repeats.ts";
import { createLatestCache } from "./latest/latest-cache.ts";
import type { NotStored } from "./message.ts";
import { createShapes } from "./messages/device-shapes.ts";
import { FormatCache } from "./parse/format-cache.ts";
import { type FirstArrival, type Message, prepareMessage, unprepared } from "./parse/prepare-message.ts";
import { createServerTime, reservedTimes, type ServerTime } from "./parse/server-time.ts";
import { type IngestQueue, IngestShard } from "./queue/ingest-shard.ts";
import { Isolation } from "./queue/isolation.ts";
import { createMetricCap } from "./queue/metric-cap.ts";
import { createReceivedTimes, type ReceivedTimes } from "./queue/received-times.ts";
import type { StorePendingDeps } from "./queue/store-pending.ts";
import { createDirtyHourTracker } from "./roll-up/dirty-hours.ts";
import type { StreamedMessage } from "./stream/batch-format.ts";
import type { StreamPosition } from "./stream-position.ts";

/**
 * Returns the number of shards in this process. With two, the process prepares one batch while the database stores
 * another (PostgreSQL in its own processes, the embedded database in its thread); on two cores a third gains nothing.
 * One of several workers has a single shard, as the others prepare batches at the same time.
 */
function shardsOf(workers: number): number {
  return workers === 1 ? 2 : 1;
}

/** Larger messages are parsed only when they are stored, because readings need far more memory than their payload. */
const LARGE_BYTES = 4_096;

export interface IngestDeps {
  database: Pick<Database, "kind" | "db" | "ingest" | "listen">;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Evaluates each batch within its commit. */
  evaluator: BatchEvaluator;
  metrics: StorePendingDeps["metrics"];
  limits: Pick<
    Limits,
    "metricsPerDevice" | "shapesPerDevice" | "shapeColumnsPerDevice" | "readingsPerMessage" | "tenantRowsPerBatch"
  >;
  /** The number of processes of this service that store messages. */
  workers: number;
}

/** Stores messages from the stream the way it stores arriving ones. */
export interface Replay {
  /** Resolves and rejects like `Ingest.ingest`. @param position recorded in the transaction that stores the message */
  replay(streamed: StreamedMessage, position: StreamPosition): Answer;
}

/**
 * Resolves when the message is durable. The value is undefined if all of it was stored; otherwise it says what was not.
 */
export type Answer = Promise<NotStored | undefined>;

export interface Ingest {
  /**
   * Stores a message. A record of the values that are not stored is durable with it. Rejects only if the database
   * fails; the message must not be acknowledged then.
   */
  ingest(message: Message): Answer;
  /**
   * Returns the messages waiting for their commit. The broker bounds them: it reads no further until they are
   * acknowledged.
   */
  queue(): IngestQueue;
  /** Returns the number of tenants whose batches are stored separately. */
  isolatedTenants(): number;
  /**
   * Returns when this process last received a message from each of these devices, stored or not, in microseconds since
   * 1970.
   */
  lastReceived(deviceUids: Iterable<string>): ReadonlyMap<string, number>;
  /** Resolves when every message is stored or has failed. */
  drain(): Promise<void>;
}

/**
 * Creates the ingest pipeline. A device belongs to one shard, so its messages stay in order and shards never share
 * rows.
 */
export function createIngest(deps: IngestDeps): Ingest & Replay {
  const { clock, limits, workers } = deps;
  const database = { ...deps.database, db: deps.database.ingest };
  const shardsHere = shardsOf(workers);
  const ofDevices = createServerTime();
  const isolation = new Isolation();
  const received = createReceivedTimes();
  const latest = createLatestCache(deps.database.db);
  const shared = {
    ...deps,
    database,
    shards: shardsHere * workers,
    isolation,
    received,
    latest,
    shapes: createShapes(deps.database.db, limits),
    repeats: createRepeats(clock),
    limitLockWait: database.kind === "postgres",
    metricCap: createMetricCap(latest, limits),
    partitionTargets: createPartitionTargets(database),
    dirtyHours: createDirtyHourTracker(),
  };
  const shards = Array.from({ length: shardsHere }, () => new IngestShard(shared));
  const formats = new FormatCache(deps.database);

  function add(message: Message, nowMs: number, serverTime: ServerTime, position?: StreamPosition): Answer {
    return formats.with(message, (format) => {
      const maxReadings = limits.readingsPerMessage;
      const shard = shards[shardOf(message.deviceUid, shards.length)]!;
      if (message.payload.length <= LARGE_BYTES) {
        const prepared = prepareMessage(message, nowMs, serverTime, maxReadings, format);
        return shard.add(message, prepared, undefined, position);
      }
      const times = serverTime.reserve(message.deviceUid, nowMs, maxReadings);
      const prepare = () => prepareMessage(message, nowMs, times, maxReadings, format);
      return shard.add(message, unprepared(message, nowMs), prepare, position);
    });
  }

  return {
    ingest(message) {
      const { arrival } = message;
      if (arrival?.nowMs !== undefined)
        return add(message, arrival.nowMs, reservedTimes(arrival.time ?? arrival.nowMs * 1000));
      const nowMs = clock.now().getTime();
      if (arrival === undefined) return add(message, nowMs, ofDevices);
      arrival.nowMs = nowMs;
      return add(message, nowMs, recordFirst(ofDevices, arrival));
    },
    replay: ({ message, nowMs, time }, position) => add(message, nowMs, reservedTimes(time), position),
    queue: () => queueOf([formats, ...shards]),
    isolatedTenants: () => isolation.size,
    lastReceived: (deviceUids) => lastReceived(deviceUids, received, shards),
    async drain() {
      await formats.drain();
      await Promise.all(shards.map((shard) => shard.drain()));
    },
  };
}

/** Assigns times like `times`, and records the first one. */
function recordFirst(times: ServerTime, arrival: FirstArrival): ServerTime {
  return {
    next(deviceUid, nowMs) {
      const time = times.next(deviceUid, nowMs);
      arrival.time ??= time;
      return time;
    },
    reserve(deviceUid, nowMs, count) {
      const first = times.reserve(deviceUid, nowMs, count).next(deviceUid, nowMs);
      arrival.time = first;
      return reservedTimes(first);
    },
  };
}

function queueOf(parts: readonly { queue(): IngestQueue }[]): IngestQueue {
  const queues = parts.map((part) => part.queue());
  return {
    messages: queues.reduce((sum, { messages }) => sum + messages, 0),
    bytes: queues.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function lastReceived(
  deviceUids: Iterable<string>,
  times: ReceivedTimes,
  shards: readonly IngestShard[],
): ReadonlyMap<string, number> {
  const received = new Map<string, number>();
  for (const uid of deviceUids) received.set(uid, times.of(uid) ?? Number.NEGATIVE_INFINITY);
  for (const shard of shards) {
    for (const { prepared } of shard) {
      const last = received.get(prepared.deviceUid);
      if (last !== undefined) received.set(prepared.deviceUid, Math.max(last, prepared.receivedAt));
    }
  }
  return received;
}

/** Chooses a shard by the last digit of a UUID, which is random. */
function shardOf(deviceUid: string, shards: number): number {
  return deviceUid.charCodeAt(deviceUid.length - 1) % shards;
}
