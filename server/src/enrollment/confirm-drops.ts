import type { DropNumbers } from "../connections/connections.ts";
import type { EnrollmentDeps } from "./deps.ts";
import { DROP_TIMEOUT_MS } from "./limits.ts";

/**
 * Waits at most 5 s until the broker nodes with such sessions have closed those of committed drops. A slower node still
 * gets the drop from the outbox.
 */
export async function confirmDrops(deps: EnrollmentDeps, seqs: DropNumbers): Promise<void> {
  const confirmed = await deps.connections.awaitDrops(seqs, DROP_TIMEOUT_MS);
  if (!confirmed) deps.logger.warn({ drops: seqs }, "not every broker node has confirmed a session drop yet");
}
