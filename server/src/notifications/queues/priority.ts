import type { Message } from "../message.ts";

/**
 * The sending order of one tenant's messages, lowest first. Critical pages overtake all others and are never combined.
 * People come before channels.
 */
export const PRIORITY = { criticalToPerson: 0, criticalToChannel: 1, toPerson: 2, toChannel: 3 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

/** The last priority of critical pages. */
export const LAST_CRITICAL = PRIORITY.criticalToChannel;

/** @param userId `null` for a channel */
export function priorityOf(message: Message, userId: string | null): Priority {
  const critical = message.type === "anomaly.opened" && "anomaly" in message && message.anomaly.severity === "critical";
  if (userId !== null) return critical ? PRIORITY.criticalToPerson : PRIORITY.toPerson;
  return critical ? PRIORITY.criticalToChannel : PRIORITY.toChannel;
}
