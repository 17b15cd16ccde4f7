import { startPeriodicJob } from "../../lib/periodic-job.ts";
import type { ConnectionsDeps } from "../deps.ts";
import type { Drops } from "../drops.ts";
import type { Presence } from "../presence.ts";
import type { Sessions } from "../sessions.ts";
import { createHeartbeat } from "./heartbeat.ts";
import type { NodeLease } from "./node-lease.ts";
import { deleteNode, reapNodes } from "./node-store.ts";
import { createDrain } from "./nodes.ts";
import { createReaper } from "./reaper.ts";

/** Interval of a node's heartbeat; the others reap a node whose lease has ended (node-lease.ts). */
const HEARTBEAT_MS = 2_000;

export interface Node {
  startNode(): Promise<string>;
  stopNode(): Promise<void>;
  /** Removes a node whose process has ended, at once. */
  reapNode(nodeId: string): Promise<void>;
  /** Whether this process has the periodic jobs that one does for all. */
  isLeader(): boolean;
  /** Registers what ends the sessions of this process when a shell drains its node. */
  onDrain(handler: () => Promise<void>): void;
  /** One heartbeat of this node; reaps stale nodes. Called by the timer, and by tests. */
  beatNow(): Promise<void>;
}

/** This process as one of the nodes that serve MQTT. */
export function createNode(
  deps: ConnectionsDeps,
  parts: { sessions: Sessions; drops: Drops; presence: Presence; lease: NodeLease },
): Node {
  const { database, clock, logger, heartbeatMs = HEARTBEAT_MS } = deps;
  const { lease, sessions, drops, presence } = parts;
  const heartbeat = createHeartbeat(deps, lease);
  const reaper = createReaper(deps, parts);
  const drain = createDrain(logger);
  let nodeId: string | undefined;
  let stopJobs: (() => Promise<void>)[] = [];

  async function beat(): Promise<void> {
    if (nodeId === undefined) return;
    const { isDraining, wasReaped } = await heartbeat.send(nodeId);
    if (wasReaped) reaper.wasReaped();
    if (isDraining) drain.begin();
  }

  const maintain = async () => void (nodeId !== undefined && (await reaper.run(nodeId, heartbeat.lastBeat())));

  return {
    async beatNow() {
      await beat();
      await maintain();
    },
    isLeader: heartbeat.isLeader,
    onDrain: drain.onDrain,
    reapNode: reaper.reapEnded,
    async startNode() {
      const id = deps.ids.uuid(clock.now());
      await heartbeat.register(id);
      nodeId = id;
      lease.start();
      sessions.setNode(id);
      // The embedded database has one process: every other recorded node is a predecessor that crashed.
      const reaped = database.kind === "embedded" ? { allBut: id } : { staleBut: id, beatAt: heartbeat.lastBeat() };
      if (lease.mayReap) await reapNodes(database.connects, reaped, clock.now());
      await beat();
      await drops.start(id);
      stopJobs = [
        startPeriodicJob(heartbeatMs, "broker node heartbeat", beat, logger),
        startPeriodicJob(heartbeatMs, "reap broker nodes", maintain, logger),
      ];
      return id;
    },
    async stopNode() {
      if (nodeId === undefined) return;
      for (const stop of stopJobs) await stop();
      lease.stop();
      await drops.stop();
      const isWritten = await presence.stop();
      sessions.setNode(undefined);
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
