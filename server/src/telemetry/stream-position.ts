/** A process's ownership of a partition of the stream. Each owner has its own epoch. */
export interface Claim {
  readonly partition: number;
  readonly epoch: number;
  /**
   * Whether nothing more may be stored under it: the partition has another owner, or storing has failed and the
   * progress must be read again.
   */
  isLost: boolean;
}

/** The position of a message in the stream, recorded in the transaction that stores it. */
export interface StreamPosition {
  readonly claim: Claim;
  /** The sequence of its batch in the stream. */
  readonly sequence: number;
  /** The index of the message in the batch. */
  readonly index: number;
  /** The number of messages in the batch. */
  readonly count: number;
}

/** The partition has, or may have, another owner. Nothing of the batch is stored. */
export class PartitionLost extends Error {}
