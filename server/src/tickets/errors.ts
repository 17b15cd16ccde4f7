import { MusterError } from "../lib/errors.ts";
import { movesFrom, type TicketStatus } from "./transitions.ts";

export type TicketsErrorCode = "invalid_transition";

/** Reports that the ticket's status may not become `to`. `allowed` in the answer lists the statuses that may follow. */
export function invalidTransition(from: TicketStatus, to: TicketStatus): MusterError<"invalid_transition"> {
  const allowed = movesFrom(from);
  const message = `a ticket that is ${from} can become ${allowed.join(" or ")}, not ${to}`;
  return new MusterError("invalid_transition", message, { detail: to, extra: { allowed } });
}
