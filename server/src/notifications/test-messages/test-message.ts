import type { TestRow } from "./group-test-store.ts";

/** A test message and its progress. */
export interface TestMessage {
  id: string;
  channel: "email" | "webhook";
  target: string;
  at: Date;
  state: "pending" | "sent" | "failed";
  /** The error of the last attempt. */
  error: string | null;
}

/** Converts a row. A message in a digest has the state of the digest. */
export function toTestMessage({ created_at: at, last_error: error, state, ...row }: TestRow): TestMessage {
  return { ...row, at, state, error: state === "sent" ? null : error };
}
