import type { ConnectionsDeps } from "../deps.ts";
import type { NodeLease } from "./node-lease.ts";
import { reapNodes } from "./node-store.ts";

/** Removes the records of other nodes. */
export interface Reaper {
  /** Reaps nodes whose lease has ended, if this node may. @param beatAt the last heartbeat of this node */
  run(nodeId: string, beatAt: string): Promise<void>;
  /** Reaps nodes that ended before this node started. */
  runAtStart(nodeId: string, beatAt: string): Promise<void>;
  /** Reaps a node whose process has ended. */
  reapEnded(nodeId: string): Promise<void>;
}

export function createReaper({ database, clock, logger }: ConnectionsDeps, lease: NodeLease): Reaper {
  return {
    async run(nodeId, beatAt) {
      if (!lease.mayReap) return;
      const reaped = await reapNodes(database.connects, { staleBut: nodeId, beatAt }, clock.now());
      if (reaped > 0) logger.warn({ reaped }, "a broker node stopped its heartbeat; its sessions are removed");
    },
    async runAtStart(nodeId, beatAt) {
      // The embedded database has one process, so every other recorded node is a predecessor that crashed.
      const reaped = database.kind === "embedded" ? { allBut: nodeId } : { staleBut: nodeId, beatAt };
      if (lease.mayReap) await reapNodes(database.connects, reaped, clock.now());
    },
    async reapEnded(ended) {
      const reaped = await reapNodes(database.connects, { ended }, clock.now());
      if (reaped > 0) logger.warn({ nodeId: ended }, "the process of a broker node ended; its sessions are removed");
    },
  };
}
