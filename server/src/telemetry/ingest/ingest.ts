import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Logger } from "../../lib/logger.ts";
import type { Metrics } from "../../lib/metrics.ts";
import { createMarkedHours } from "../charts/roll-up-marks.ts";
import { createTelemetryDays } from "../partitions/partitions.ts";
import type { BatchEvaluator } from "./batch-evaluator.ts";
import { createLane, type IngestQueue } from "./ingest-shard.ts";
import { createLastSeen } from "./last-seen.ts";
import { type Message, prepareMessage } from "./prepare-message.ts";
import { createServerTime } from "./server-time.ts";

/**
 * While PostgreSQL stores the batch of one lane, this process makes the batch of another; a third would find no core that is
 * idle where there are two. The embedded database does one thing at a time anyway.
 */
const LANES = { postgres: 2, embedded: 1 };

export interface IngestDeps {
  database: Pick<Database, "kind" | "db" | "listen">;
  clock: Clock;
  ids: Ids;
  logger: Logger;
  /** Evaluates each batch in its commit. */
  evaluator: BatchEvaluator;
  metrics?: Pick<Metrics, "messages" | "database">;
}

export interface Ingest {
  /**
   * Stores a message. Resolves when it is durable, which for a payload that cannot be read means: kept as a rejected
   * message. Rejects only when the database fails; the message must then not be acknowledged.
   */
  ingest(message: Message): Promise<void>;
  /** What is waiting or being stored now; a broker that reads no further than it is answered keeps this bounded. */
  queue(): IngestQueue;
  /** Resolves when everything handed in so far is stored or has failed. */
  drain(): Promise<void>;
}

/** Every device has its lane, so that its messages stay in order and no two lanes ever touch the same rows. */
export function createIngest(deps: IngestDeps): Ingest {
  const { database, clock } = deps;
  const serverTime = createServerTime();
  const common = {
    ...deps,
    lastSeen: createLastSeen(),
    days: createTelemetryDays(database),
    hours: createMarkedHours(),
  };
  const lanes = Array.from({ length: LANES[database.kind] }, () => createLane(common));

  return {
    ingest(message) {
      const prepared = prepareMessage(message, clock.now().getTime(), serverTime);
      return lanes[laneOf(message.deviceUid, lanes.length)]!.add(message, prepared);
    },
    queue() {
      const queues = lanes.map((lane) => lane.queue());
      return {
        messages: queues.reduce((sum, { messages }) => sum + messages, 0),
        bytes: queues.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async drain() {
      await Promise.all(lanes.map((lane) => lane.drain()));
    },
  };
}

/** By the last of a UUID's random digits. */
function laneOf(deviceUid: string, lanes: number): number {
  return deviceUid.charCodeAt(deviceUid.length - 1) % lanes;
}
