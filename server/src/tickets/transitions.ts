/** Every status of a ticket (docs/spec-decisions.md, Records). */
export const TICKET_STATUSES = ["open", "in_progress", "on_hold", "completed", "cancelled"] as const;

export type TicketStatus = (typeof TICKET_STATUSES)[number];

/** The statuses that may follow each status. A finished ticket can only be reopened. */
const MOVES: Readonly<Record<TicketStatus, readonly TicketStatus[]>> = {
  open: ["in_progress", "cancelled"],
  in_progress: ["on_hold", "completed", "cancelled"],
  on_hold: ["in_progress", "completed", "cancelled"],
  completed: ["open"],
  cancelled: ["open"],
};

export function movesFrom(status: TicketStatus): readonly TicketStatus[] {
  return MOVES[status];
}

/** Checks whether work remains to be done. An anomaly has at most one such ticket. */
export function isUnfinished(status: TicketStatus): boolean {
  return status !== "completed" && status !== "cancelled";
}

/** The times when work began and when it was completed. */
export interface WorkTimes {
  started_at: Date | null;
  completed_at: Date | null;
}

/**
 * Returns the times of a ticket whose status becomes `to` now. Work begins once, and only a completed ticket has an
 * end.
 */
export function timesAfter({ started_at, completed_at }: WorkTimes, to: TicketStatus, now: Date): WorkTimes {
  return {
    started_at: to === "in_progress" ? (started_at ?? now) : started_at,
    completed_at: to === "completed" ? (completed_at ?? now) : null,
  };
}
