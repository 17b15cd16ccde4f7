/** How a process owns a partition of the stream; another owner has another epoch. */
export interface Claim {
  readonly partition: number;
  readonly epoch: number;
  /** Nothing more is stored under it: the partition has another owner, or storing has failed and its progress must be read again. */
  isLost: boolean;
}

/** Where in the stream a message stands: the transaction that stores it records this. */
export interface StreamPosition {
  readonly claim: Claim;
  /** Of its batch in the stream. */
  readonly sequence: number;
  /** Its place in the batch. */
  readonly index: number;
  /** Messages in the batch. */
  readonly count: number;
}

/** A partition has another owner by now, or may have. Nothing of the batch is stored. */
export class PartitionLost extends Error {}
