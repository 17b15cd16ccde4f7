import { MusterError } from "../lib/errors.ts";
import { movesFrom, type TicketStatus } from "./transitions.ts";

export type TicketsErrorCode = "invalid_transition";

/** The ticket's status does not lead there; `allowed` of the answer are those that it leads to. */
export function invalidTransition(from: TicketStatus, to: TicketStatus): MusterError<"invalid_transition"> {
  const allowed = movesFrom(from);
  const message = `a ticket that is ${from} can become ${allowed.join(" or ")}, not ${to}`;
  return new MusterError("invalid_transition", message, { detail: to, extra: { allowed } });
}
