import type { Db } from "../../db/database.ts";
import type { JetStream } from "../../lib/nats/jet-stream.ts";
import { type PartitionState, storedSequences } from "./partition-store.ts";
import { PARTITIONS, SUBJECTS, subjectOf } from "./partitions.ts";

export interface StreamPurgeDeps {
  db: Db;
  jetStream: Pick<JetStream, "purge" | "subjects">;
}

/**
 * Above this size the stream is deleted from its beginning. NATS reads the whole stream to delete messages by subject,
 * so deleting a long backlog that way would cost more than storing it.
 */
const SMALL_BYTES = 4 * 1024 ** 2;
/** The owner of this partition deletes for all processes. */
const FIRST_PARTITION = 0;

/** Deletes stored messages from NATS. A failed deletion is repeated the next time. */
export class StreamPurge {
  readonly #deps: StreamPurgeDeps;
  /** Maps each partition to the last batch up to which its messages are deleted. */
  readonly #purged = new Map<number, number>();
  /** The last batch up to which the stream is deleted. */
  #sequence = 0;
  /** The sequence at which a partition without newer messages blocked the deletion of the others. */
  #waitedAt = 0;

  constructor(deps: StreamPurgeDeps) {
    this.#deps = deps;
  }

  /** Forgets all progress, since the sequences of another stream start over. */
  forget(): void {
    this.#purged.clear();
    this.#sequence = 0;
    this.#waitedAt = 0;
  }

  /** @param states the partitions of this process, as recorded in the database */
  async run(stream: { id: string; bytes: number }, states: readonly PartitionState[]): Promise<void> {
    if (stream.bytes <= SMALL_BYTES) await this.#purgeSubjects(states);
    else if (states.some(({ partition }) => partition === FIRST_PARTITION)) await this.#purgeBeginning(stream.id);
  }

  async #purgeSubjects(states: readonly PartitionState[]): Promise<void> {
    const due = states.filter(({ partition, storedSequence }) => storedSequence > (this.#purged.get(partition) ?? 0));
    await Promise.all(
      due.map(async ({ partition, storedSequence }) => {
        await this.#deps.jetStream.purge(subjectOf(partition), storedSequence + 1);
        this.#purged.set(partition, storedSequence);
      }),
    );
  }

  /**
   * Deletes up to the sequence where all partitions are stored. A partition without messages in the stream is ignored:
   * new ones get sequences after the last known one.
   */
  async #purgeBeginning(streamId: string): Promise<void> {
    const { db, jetStream } = this.#deps;
    const contents = await jetStream.subjects(SUBJECTS);
    if (contents === undefined) return;
    const stored = await storedSequences(db, streamId);
    const ends = Array.from({ length: PARTITIONS }, (_, partition) =>
      contents.counts.has(subjectOf(partition)) ? (stored.get(partition) ?? 0) : contents.lastSequence,
    );
    const lowest = Math.min(...ends);
    if (lowest > this.#sequence) {
      await jetStream.purge(undefined, lowest + 1);
      this.#sequence = lowest;
    } else if (lowest > this.#waitedAt) {
      // The partition is slow, or receives no more messages. Deleting its stored messages keeps it from blocking the
      // others.
      await jetStream.purge(subjectOf(ends.indexOf(lowest)), lowest + 1);
      this.#waitedAt = lowest;
    }
  }
}
