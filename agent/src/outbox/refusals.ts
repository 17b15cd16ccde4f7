import { BUSY, PACKET_TOO_LARGE, reasonText } from "../connection/reasons.ts";
import { AgentError } from "../errors.ts";
import type { Outgoing } from "./queue.ts";

/** Why a message was dropped: the queue was full, several sessions closed without acknowledging it, or the broker refused it. */
export type DropReason = "queue_full" | "unacknowledged" | "refused";

/**
 * Whether a message with this answer is sent again after a pause: the broker has not accepted it and may later. A message to be retained is
 * not, since a broker whose quota of retained messages is used up has passed it on all the same.
 */
export function isRetried({ retain }: Outgoing, code: number): boolean {
  return BUSY.has(code) && !retain;
}

/** The error of a message that the broker has refused. */
export function refusedError({ topic }: Outgoing, code: number, reasonString: string | undefined): AgentError {
  const message = `The broker refused a message on ${topic}: ${reasonText(code, reasonString)}.`;
  const name = code === PACKET_TOO_LARGE ? "message_too_large" : "message_refused";
  return new AgentError(name, message, { reasonCode: code });
}

const WHY: Readonly<Record<DropReason, string>> = {
  queue_full: "the offline queue was full",
  unacknowledged: "several sessions closed without acknowledging it",
  refused: "the broker refused it",
};

export const droppedError = (reason: DropReason): AgentError =>
  new AgentError("dropped", `Message dropped: ${WHY[reason]}.`);
