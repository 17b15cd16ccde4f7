import { startPeriodicJob } from "../lib/periodic-job.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { enqueueDrop } from "./drop-store.ts";
import type { Drops } from "./drops.ts";
import { beat, deleteNode, insertNode, reapNodes } from "./node-store.ts";
import type { Presence } from "./presence.ts";
import type { Sessions } from "./sessions.ts";

/** A node beats this often; the others declare it dead after 10 s of silence (node-store.ts). */
const BEAT_MS = 2_000;

export interface Node {
  startNode(): Promise<string>;
  stopNode(): Promise<void>;
  /** One beat: says that this node lives, and removes those that do not. Called by the timer, and by tests. */
  beatNow(): Promise<void>;
}

/** This process as one of those that serve MQTT. */
export function createNode(
  { database, clock, ids, logger }: ConnectionsDeps,
  parts: { sessions: Sessions; drops: Drops; presence: Presence },
): Node {
  let nodeId: string | undefined;
  let stopBeating: () => Promise<void> = async () => undefined;

  async function beatNow(): Promise<void> {
    if (nodeId === undefined) return;
    if (!(await beat(database.connects, nodeId))) await rise(nodeId);
    const reaped = await reapNodes(database.connects, nodeId, false, clock.now());
    if (reaped > 0) logger.warn({ reaped }, "a broker node stopped beating; its sessions are removed");
  }

  /** The others thought this node dead and removed its sessions: put back what nobody has taken over, close the rest. */
  async function rise(node: string): Promise<void> {
    logger.warn("this broker node was thought dead by another one");
    await insertNode(database.connects, node);
    for (const sessionId of await parts.sessions.restore(node)) {
      await enqueueDrop(database.connects, { sessionId, reason: "takeover" }, clock.now());
    }
    await parts.drops.pump();
  }

  return {
    beatNow,
    async startNode() {
      const id = ids.uuid(clock.now());
      await insertNode(database.connects, id);
      nodeId = id;
      parts.sessions.setNode(id);
      // The embedded database has one process: whoever else is in the books is a predecessor that died.
      await reapNodes(database.connects, id, database.kind === "embedded", clock.now());
      await parts.drops.start(id);
      stopBeating = startPeriodicJob(BEAT_MS, "broker node heartbeat", beatNow, logger);
      return id;
    },
    async stopNode() {
      if (nodeId === undefined) return;
      await stopBeating();
      await parts.drops.stop();
      await parts.presence.stop();
      parts.sessions.setNode(undefined);
      const id = nodeId;
      nodeId = undefined;
      await deleteNode(database.connects, id).catch((error: Error) =>
        logger.warn({ err: error.message }, "could not sign off; the other nodes will notice"),
      );
    },
  };
}
