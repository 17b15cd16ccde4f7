import type { Db } from "../../db/database.ts";
import type { JetStream } from "../../lib/nats/jet-stream.ts";
import { type PartitionState, storedSequences } from "./partition-store.ts";
import { PARTITIONS, SUBJECTS, subjectOf } from "./partitions.ts";

export interface StreamPurgeDeps {
  db: Db;
  jetStream: Pick<JetStream, "purge" | "subjects">;
}

/**
 * Beyond this the stream is deleted from its beginning on. To delete messages by their subject, NATS reads the whole stream, so that a long backlog would cost
 * more to delete than to store.
 */
const SMALL_BYTES = 4 * 1024 ** 2;
/** Of the processes, its owner deletes for all. */
const FIRST_PARTITION = 0;

/** Has NATS delete what is stored. What fails is deleted the next time. */
export class StreamPurge {
  readonly #deps: StreamPurgeDeps;
  /** Partition → up to which batch its messages are deleted. */
  readonly #purged = new Map<number, number>();
  /** Up to which batch the stream is deleted. */
  #sequence = 0;
  /** Where a partition without newer messages kept the others from being deleted. */
  #waitedAt = 0;

  constructor(deps: StreamPurgeDeps) {
    this.#deps = deps;
  }

  /** The sequences of another stream begin again. */
  forget(): void {
    this.#purged.clear();
    this.#sequence = 0;
    this.#waitedAt = 0;
  }

  /** @param states of the partitions of this process, as the database has them */
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

  /** Up to where all partitions are stored. One that has nothing in the stream has no part in it: what it gets has a higher sequence than the last one known. */
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
      // The partition is slow, or nothing more is sent to it: without its messages it has no part.
      await jetStream.purge(subjectOf(ends.indexOf(lowest)), lowest + 1);
      this.#waitedAt = lowest;
    }
  }
}
