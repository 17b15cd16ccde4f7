import { isUtf8 } from "node:buffer";
import type { CommandRow } from "./command-store.ts";

/**
 * `waiting`: no session of the device was given the command yet. `sent`: one was, and the device has not acknowledged
 * it. The others are final, except that a late acknowledgement prevails.
 */
export const COMMAND_STATES = ["waiting", "sent", "acknowledged", "expired", "cancelled"] as const;
export type CommandState = (typeof COMMAND_STATES)[number];

/** A command for a device. */
export interface CommandRecord {
  id: string;
  deviceId: string;
  topic: string;
  payload: string;
  /** The form of `payload`: text, or base64 if the bytes are not UTF-8. */
  encoding: "text" | "base64";
  state: CommandState;
  createdAt: Date;
  createdBy: string;
  expiresAt: Date;
  sentAt: Date | null;
  endedAt: Date | null;
}

export function toCommandRecord(row: CommandRow, now: Date): CommandRecord {
  const encoding = isUtf8(row.payload) ? "text" : "base64";
  const state = stateOf(row, now);
  return {
    id: row.id,
    deviceId: row.device_id,
    topic: row.topic,
    payload: row.payload.toString(encoding === "text" ? "utf8" : "base64"),
    encoding,
    state,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    sentAt: row.sent_at,
    endedAt: state === "expired" ? row.expires_at : row.ended_at,
  };
}

function stateOf({ outcome, sent_at, expires_at }: CommandRow, now: Date): CommandState {
  if (outcome !== null) return outcome;
  if (expires_at <= now) return "expired";
  return sent_at === null ? "waiting" : "sent";
}
