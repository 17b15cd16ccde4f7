import { startPeriodicJob } from "../lib/periodic-job.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { enqueueDrop } from "./drop-store.ts";
import type { Drops } from "./drops.ts";
import { deleteNode, insertNode, reapNodes, writeHeartbeat } from "./node-store.ts";
import { createDrain } from "./nodes.ts";
import type { Presence } from "./presence.ts";
import type { Sessions } from "./sessions.ts";

/** Interval of a node's heartbeat; the others reap a node after 10 s without one (node-store.ts). */
const HEARTBEAT_MS = 2_000;

export interface Node {
  startNode(): Promise<string>;
  stopNode(): Promise<void>;
  /** Removes a node whose process has ended, at once. */
  reapNode(nodeId: string): Promise<void>;
  /** Registers what ends the sessions of this process when a shell drains its node. */
  onDrain(handler: () => Promise<void>): void;
  /** One heartbeat of this node; reaps stale nodes. Called by the timer, and by tests. */
  beatNow(): Promise<void>;
}

/** This process as one of the nodes that serve MQTT. */
export function createNode(
  deps: ConnectionsDeps,
  parts: { sessions: Sessions; drops: Drops; presence: Presence },
): Node {
  const { database, clock, ids, logger, nodeProcess, heartbeatMs = HEARTBEAT_MS } = deps;
  let nodeId: string | undefined;
  const drain = createDrain(logger);
  let stopHeartbeat: () => Promise<void> = async () => undefined;

  async function beatNow(): Promise<void> {
    if (nodeId === undefined) return;
    const known = await writeHeartbeat(database.connects, nodeId);
    if (!known) await rejoin(nodeId);
    else if (known.isDraining) drain.begin();
    const reaped = await reapNodes(database.connects, { staleBut: nodeId }, clock.now());
    if (reaped > 0) logger.warn({ reaped }, "a broker node stopped its heartbeat; its sessions are removed");
  }

  /** Another node reaped this one and its sessions: restores those not taken over since, and closes the others. */
  async function rejoin(node: string): Promise<void> {
    logger.warn("another node had reaped this broker node; restoring its sessions");
    await insertNode(database.connects, node, nodeProcess);
    for (const sessionId of await parts.sessions.restore(node)) {
      await enqueueDrop(database.connects, { sessionId, reason: "takeover" }, clock.now());
    }
    await parts.drops.deliver();
  }

  return {
    beatNow,
    onDrain: drain.onDrain,
    async reapNode(ended) {
      const reaped = await reapNodes(database.connects, { ended }, clock.now());
      if (reaped > 0) logger.warn({ nodeId: ended }, "the process of a broker node ended; its sessions are removed");
    },
    async startNode() {
      const id = ids.uuid(clock.now());
      await insertNode(database.connects, id, nodeProcess);
      nodeId = id;
      parts.sessions.setNode(id);
      // The embedded database has one process: every other recorded node is a predecessor that crashed.
      const reaped = database.kind === "embedded" ? { allBut: id } : { staleBut: id };
      await reapNodes(database.connects, reaped, clock.now());
      await parts.drops.start(id);
      stopHeartbeat = startPeriodicJob(heartbeatMs, "broker node heartbeat", beatNow, logger);
      return id;
    },
    async stopNode() {
      if (nodeId === undefined) return;
      await stopHeartbeat();
      await parts.drops.stop();
      const isWritten = await parts.presence.stop();
      parts.sessions.setNode(undefined);
      const id = nodeId;
      nodeId = undefined;
      // The node that reaps this one sets the devices of its remaining sessions offline.
      if (isWritten) await deleteOwnRecord(deps, id);
    },
  };
}

async function deleteOwnRecord({ database, logger }: ConnectionsDeps, nodeId: string): Promise<void> {
  try {
    await deleteNode(database.connects, nodeId);
  } catch (error) {
    const err = (error as Error).message;
    logger.warn({ err }, "could not delete the record of this node; the other nodes will reap it");
  }
}
