import { limitTable } from "./limit.ts";

/** Messages between their acknowledgement and their commit, with `MUSTER_INGEST=stream`. */
export const stream = limitTable({
  bytesPerAppend: {
    level: "process",
    of: "bytes of messages in one append to a partition of the ingest stream",
    value: 128 * 1024,
    reached: "further messages wait for the next append",
    fixed: true,
  },
  messagesPerAppend: {
    level: "process",
    of: "messages in one append to a partition of the ingest stream",
    value: 1_000,
    reached: "further messages wait for the next append",
    fixed: true,
  },
  tenantBytesPerAppend: {
    level: "tenant",
    of: "bytes of one tenant in one append to a partition of the ingest stream, while other tenants send too",
    value: 16 * 1024,
    reached: "its further messages wait for its next turn; those of other tenants do not",
    fixed: true,
  },
  tenantTimesFree: {
    level: "tenant",
    of: "multiple of the ingest stream's free bytes that one tenant may use while several tenants send",
    value: 4,
    reached: "acknowledgements of its messages wait; those of other tenants do not",
    fixed: true,
  },
  appendsAtOnce: {
    level: "process",
    of: "concurrent appends of a process to the ingest stream",
    value: 8,
    reached: "further partitions wait for their turn and collect messages",
    fixed: true,
  },
  bytesReadAhead: {
    level: "process",
    of: "bytes of one partition of the ingest stream that are read but not stored yet",
    value: 2 * 1024 * 1024,
    reached: "reading of the partition waits; messages stay in the stream",
    fixed: true,
  },
});
