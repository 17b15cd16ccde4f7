import { DROP_TIMEOUT_MS, type DropNumbers } from "../connections/connections.ts";
import type { EnrollmentDeps } from "./deps.ts";

/**
 * Waits at most 5 s until every live node has closed its sessions of these committed drops, and logs if one has not.
 * That node closes them when it reads the outbox, or when its lease ends.
 */
export async function confirmDrops(deps: EnrollmentDeps, seqs: DropNumbers): Promise<void> {
  const confirmed = await deps.connections.awaitDrops(seqs, DROP_TIMEOUT_MS);
  if (!confirmed) deps.logger.warn({ drops: seqs }, "not every broker node has confirmed a session drop yet");
}
