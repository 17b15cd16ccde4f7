import type { ConnectionsDeps } from "../deps.ts";
import type { Drops } from "../drops.ts";
import { enqueueDrops } from "../enqueue-drop-store.ts";
import type { Sessions } from "../sessions.ts";
import type { NodeLease } from "./node-lease.ts";
import { reapNodes } from "./node-store.ts";

/** What a node does to the records of nodes beside its heartbeat: it may take long, and delays no heartbeat. */
export interface Reaper {
  /** Another node had reaped this one. */
  wasReaped(): void;
  /** Restores the sessions of this node where it was reaped, and reaps others whose lease has ended where it may. @param beatAt its last heartbeat */
  run(nodeId: string, beatAt: string): Promise<void>;
  /** Reaps a node whose process has ended. */
  reapEnded(nodeId: string): Promise<void>;
}

export function createReaper(
  deps: ConnectionsDeps,
  parts: { sessions: Sessions; drops: Drops; lease: NodeLease },
): Reaper {
  const { database, clock, logger } = deps;
  const { sessions, drops, lease } = parts;
  let lacksSessions = false;

  /** Restores the sessions that were not taken over since, and closes the others. */
  async function restore(nodeId: string): Promise<void> {
    lacksSessions = false;
    try {
      for (const lost of await sessions.restore(nodeId)) {
        await enqueueDrops(database.connects, { ...lost, nodeId, staysValid: true }, clock.now());
      }
    } catch (error) {
      lacksSessions = true;
      throw error;
    }
    await drops.deliver();
  }

  return {
    wasReaped() {
      lacksSessions = true;
    },
    async run(nodeId, beatAt) {
      if (lacksSessions) await restore(nodeId);
      if (!lease.mayReap) return;
      const reaped = await reapNodes(database.connects, { staleBut: nodeId, beatAt }, clock.now());
      if (reaped > 0) logger.warn({ reaped }, "a broker node stopped its heartbeat; its sessions are removed");
    },
    async reapEnded(ended) {
      const reaped = await reapNodes(database.connects, { ended }, clock.now());
      if (reaped > 0) logger.warn({ nodeId: ended }, "the process of a broker node ended; its sessions are removed");
    },
  };
}
