import type { Db } from "../../db/database.ts";
import type { Logger } from "../../lib/logger.ts";
import type { IngestStreamMetrics } from "../../lib/metrics/stream-metrics.ts";
import { PartitionReader, type ReaderDeps } from "./partition-reader.ts";
import { claimPartitions, releasePartitions, renewPartitions } from "./partition-store.ts";
import { PARTITIONS } from "./partitions.ts";
import { StreamPurge, type StreamPurgeDeps } from "./stream-purge.ts";

export interface OwnedDeps extends ReaderDeps {
  db: Db;
  ownerId: string;
  jetStream: ReaderDeps["jetStream"] & StreamPurgeDeps["jetStream"];
  logger: Logger;
  metrics: ReaderDeps["metrics"] & Pick<IngestStreamMetrics, "streamPartitions">;
}

/** The partitions of the stream that this process stores: an even share among the running processes. */
export class OwnedPartitions {
  readonly #deps: OwnedDeps;
  readonly #readers = new Map<number, PartitionReader>();
  readonly #purge: StreamPurge;
  /** The id of the stream that all partitions of this process belong to. */
  #streamId: string | undefined;

  constructor(deps: OwnedDeps) {
    this.#deps = deps;
    this.#purge = new StreamPurge(deps);
  }

  get size(): number {
    return this.#readers.size;
  }

  /**
   * Renews this process's claims, and takes or gives up partitions.
   *
   * @param share the number of partitions it should have
   * @param stream undefined if it does not answer; without an id, there is no stream and no partition is taken
   * @throws the database's error
   */
  async balance(share: number, stream: { id: string | undefined; bytes: number } | undefined): Promise<void> {
    const id = stream?.id;
    if (id !== undefined) this.#readOnly(id);
    await this.#renew();
    await this.#giveUp(share);
    if (stream && id !== undefined) {
      await this.#take(share, id);
      const open = [...this.#readers.values()].filter((reader) => !reader.isClosed);
      await this.#purge.run(
        { id, bytes: stream.bytes },
        open.map(({ state }) => state),
      );
    }
    this.#deps.metrics.streamPartitions.set(this.#readers.size);
  }

  /** Stores everything that was read, and gives up all partitions. */
  async close(): Promise<void> {
    for (const reader of this.#readers.values()) reader.close();
    await Promise.all([...this.#readers.values()].map((reader) => reader.idle()));
    await this.#renew();
    await this.#giveUp(0);
  }

  /** Stops storing immediately. */
  abandon(): void {
    for (const reader of this.#readers.values()) reader.lose();
  }

  /**
   * Closes the readers of any other stream. What they have read is stored and their partitions are given up, because
   * the sequences of the new stream start over.
   */
  #readOnly(streamId: string): void {
    if (streamId === this.#streamId) return;
    for (const reader of this.#readers.values()) reader.close();
    this.#purge.forget();
    this.#streamId = streamId;
  }

  async #renew(): Promise<void> {
    const { db, ownerId } = this.#deps;
    const readers = [...this.#readers.values()].filter(({ claim }) => !claim.isLost);
    if (readers.length === 0) return;
    const states = readers.map(({ state }) => state);
    const renewed = new Set(await renewPartitions(db, ownerId, states));
    for (const reader of readers) if (!renewed.has(reader.claim.partition)) reader.lose();
  }

  /** Closes surplus readers, and gives up their partitions once nothing of them is being stored. */
  async #giveUp(share: number): Promise<void> {
    const { db, ownerId } = this.#deps;
    for (const reader of [...this.#readers.values()].slice(share)) reader.close();
    const done = [...this.#readers.values()].filter((reader) => reader.isIdle && !reader.claim.isLost);
    if (done.length === 0) return;
    const states = done.map(({ state }) => state);
    await renewPartitions(db, ownerId, states);
    const partitions = states.map(({ partition }) => partition);
    await releasePartitions(db, ownerId, partitions);
    for (const reader of done) {
      reader.lose();
      this.#readers.delete(reader.claim.partition);
    }
  }

  async #take(share: number, streamId: string): Promise<void> {
    const { db, ownerId, logger } = this.#deps;
    const lost = [...this.#readers.values()].filter((reader) => reader.claim.isLost && reader.isIdle);
    const again = lost.map(({ claim }) => claim.partition);
    for (const partition of again) this.#readers.delete(partition);
    const count = Math.max(0, share - this.#readers.size - again.length);
    if (count + again.length === 0) return;
    const claimed = await claimPartitions(db, { ownerId, streamId, count, again });
    for (const partition of claimed) this.#readers.set(partition.partition, new PartitionReader(this.#deps, partition));
    if (claimed.length === 0) return;
    const partitions = claimed.map(({ partition }) => partition);
    logger.info({ partitions, of: PARTITIONS }, "this process stores partitions of the ingest stream");
  }
}
