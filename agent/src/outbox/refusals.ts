import { BUSY, PACKET_TOO_LARGE, reasonText } from "../connection/reasons.ts";
import { AgentError } from "../errors.ts";
import type { Outgoing } from "./queue.ts";

/**
 * The reason why a message was dropped: the queue was full, several sessions closed without acknowledging it, or the
 * broker refused it.
 */
export type DropReason = "queue_full" | "unacknowledged" | "refused";

/**
 * Reports whether a message with this answer is resent after a pause: the broker has not accepted it but may later. A
 * retained message is not resent, since a broker whose quota of retained messages is used up has still delivered it.
 */
export function isRetried({ retain }: Outgoing, code: number): boolean {
  return BUSY.has(code) && !retain;
}

/** Returns the error of a message that the broker has refused. */
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
