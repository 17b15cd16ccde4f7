import type { TestRow } from "./group-test-store.ts";

/** One message of a test, as far as it has come. */
export interface TestMessage {
  id: string;
  channel: "email" | "webhook";
  target: string;
  at: Date;
  state: "pending" | "sent" | "failed";
  /** Why the last attempt failed. */
  error: string | null;
}

/** One that was combined with others to one mail has come as far as that. */
export function toTestMessage({ created_at: at, last_error: error, state, ...row }: TestRow): TestMessage {
  return { ...row, at, state, error: state === "sent" ? null : error };
}
