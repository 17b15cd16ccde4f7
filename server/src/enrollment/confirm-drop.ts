import type { EnrollmentDeps } from "./deps.ts";
import { DROP_TIMEOUT_MS } from "./limits.ts";

/**
 * Waits, for 5 s at most, until every broker node has closed the sessions of a committed drop. A node that does not confirm in
 * time still gets the drop from the outbox.
 */
export async function confirmDrop(deps: EnrollmentDeps, seq: string): Promise<void> {
  const confirmed = await deps.connections.awaitDrop(seq, DROP_TIMEOUT_MS);
  if (!confirmed) deps.logger.warn({ drop: seq }, "not every broker node has confirmed a session drop yet");
}
