import { limitTable } from "./limit.ts";

/** Messages between their acknowledgement and their commit, with `MUSTER_INGEST=stream`. */
export const stream = limitTable({
  bytesPerAppend: {
    level: "process",
    of: "bytes of messages that are appended to a partition of the ingest stream at once",
    value: 128 * 1024,
    reached: "further messages wait for the next append",
    fixed: true,
  },
  messagesPerAppend: {
    level: "process",
    of: "messages that are appended to a partition of the ingest stream at once",
    value: 1_000,
    reached: "further messages wait for the next append",
    fixed: true,
  },
  tenantBytesPerAppend: {
    level: "tenant",
    of: "bytes of one tenant that are appended to a partition of the ingest stream at once, while other tenants send too",
    value: 16 * 1024,
    reached: "its further messages wait for its next turn; those of other tenants do not",
    fixed: true,
  },
  tenantTimesFree: {
    level: "tenant",
    of: "times as much of the ingest stream as is free, in bytes, while several tenants send",
    value: 4,
    reached: "acknowledgements of its messages wait; those of other tenants do not",
    fixed: true,
  },
  appendsAtOnce: {
    level: "process",
    of: "appends to the ingest stream that a process waits for at once",
    value: 8,
    reached: "further partitions wait for their turn, and collect messages",
    fixed: true,
  },
  bytesReadAhead: {
    level: "process",
    of: "bytes of one partition of the ingest stream that are read and not stored",
    value: 2 * 1024 * 1024,
    reached: "reading of the partition waits; messages stay in the stream",
    fixed: true,
  },
});
