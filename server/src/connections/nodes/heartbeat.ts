import type { ConnectionsDeps } from "../deps.ts";
import { skipLostNumbers } from "./complete-store.ts";
import type { NodeLease } from "./node-lease.ts";
import { insertNode, type NodeDuties, writeHeartbeat } from "./node-store.ts";

/** The heartbeat of a node, which extends its lease. */
export interface Heartbeat {
  /** Records the node, which has no sessions yet. */
  register(nodeId: string): Promise<void>;
  /** @returns whether another node had reaped this one, which is then recorded again without its sessions */
  send(nodeId: string): Promise<NodeDuties & { wasReaped: boolean }>;
  /** Returns the time of the last heartbeat, as written by the database. */
  lastBeat(): string;
  /** Whether this process runs the periodic jobs that one process runs for all, as of its last heartbeat. */
  isLeader(): boolean;
}

export function createHeartbeat(deps: ConnectionsDeps, lease: NodeLease): Heartbeat {
  const { database, logger, nodeProcess, leaseSeconds } = deps;

  let beatAt = "";
  async function register(nodeId: string, isComplete: boolean): Promise<void> {
    const sentMs = lease.now();
    // This commit waits for the disk: a node lost in a crash of the database would get no drops.
    beatAt = await insertNode(database.db, nodeId, { ...nodeProcess, leaseSeconds, isComplete });
    lease.extend(sentMs);
  }

  let isLeader = false;
  return {
    async register(nodeId) {
      if (database.kind === "postgres") await skipLostNumbers(database.connects);
      await register(nodeId, true);
    },
    lastBeat: () => beatAt,
    // Without a lease, another node may run them by now.
    isLeader: () => isLeader && lease.term !== undefined,
    async send(nodeId) {
      const sentMs = lease.now();
      const known = await writeHeartbeat(database.connects, nodeId);
      isLeader = known?.isLeader ?? false;
      if (known) {
        beatAt = known.beatAt;
        lease.extend(sentMs);
        return { ...known, wasReaped: false };
      }
      logger.warn("another node had reaped this broker node");
      // This must happen before the registration starts a new lease.
      lease.check();
      await register(nodeId, false);
      return { isDraining: false, isLeader, beatAt, isComplete: false, wasReaped: true };
    },
  };
}
