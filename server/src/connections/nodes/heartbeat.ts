import type { ConnectionsDeps } from "../deps.ts";
import type { NodeLease } from "./node-lease.ts";
import { insertNode, writeHeartbeat } from "./node-store.ts";

/** What extends the lease of a node. */
export interface Heartbeat {
  /** Records the node. */
  register(nodeId: string): Promise<void>;
  /** @returns whether the node is to drain, and whether another one had reaped it: it is recorded again, without its sessions */
  send(nodeId: string): Promise<{ isDraining: boolean; wasReaped: boolean }>;
}

export function createHeartbeat(deps: ConnectionsDeps, lease: NodeLease): Heartbeat {
  const { database, logger, nodeProcess, leaseSeconds } = deps;

  async function register(nodeId: string): Promise<void> {
    const sentMs = lease.now();
    await insertNode(database.connects, nodeId, { ...nodeProcess, leaseSeconds });
    lease.extend(sentMs);
  }

  return {
    register,
    async send(nodeId) {
      const sentMs = lease.now();
      const known = await writeHeartbeat(database.connects, nodeId);
      if (known) {
        lease.extend(sentMs);
        return { ...known, wasReaped: false };
      }
      logger.warn("another node had reaped this broker node");
      // Before the lease is another one.
      lease.check();
      await register(nodeId);
      return { isDraining: false, wasReaped: true };
    },
  };
}
