import type { ChannelKind } from "../../groups/groups.ts";
import type { NotificationsDeps } from "../deps.ts";
import { type Obstacle, obstacleOf } from "../obstacle.ts";
import type { TestRow } from "./group-test-store.ts";

/** A test message and its progress. */
export interface TestMessage {
  id: string;
  channel: ChannelKind;
  target: string;
  at: Date;
  state: "pending" | "sent" | "failed";
  /** The error of the last attempt. */
  error: string | null;
  /** The reason a pending message cannot be sent now. */
  obstacle: Obstacle | null;
}

/** Converts a row. A message in a digest has the state of the digest. */
export function toTestMessage(
  deps: Pick<NotificationsDeps, "settings">,
  { created_at: at, last_error: error, state, ...row }: TestRow,
): TestMessage {
  const obstacle = state === "pending" ? obstacleOf(deps, row.channel) : null;
  return { ...row, at, state, error: state === "sent" ? null : error, obstacle };
}
