import { startPeriodicJob } from "../lib/periodic-job.ts";
import { createCompletion } from "./completion.ts";
import type { ConnectionsDeps } from "./deps.ts";
import type { Drops } from "./drops/drops.ts";
import { createHeartbeat } from "./nodes/heartbeat.ts";
import type { NodeLease } from "./nodes/node-lease.ts";
import { deleteNode } from "./nodes/node-store.ts";
import { createDrain } from "./nodes/nodes.ts";
import { createReaper } from "./nodes/reaper.ts";
import type { Presence } from "./presence.ts";
import type { Sessions } from "./sessions.ts";

/** The interval of a node's heartbeat; other nodes reap a node whose lease has ended (node-lease.ts). */
const HEARTBEAT_MS = 2_000;

export interface Node {
  startNode(): Promise<string>;
  stopNode(): Promise<void>;
  /** Removes a node whose process has ended, immediately. */
  reapNode(nodeId: string): Promise<void>;
  /** Whether this process runs the periodic jobs that one process runs for all. */
  isLeader(): boolean;
  /** Registers a handler that ends the sessions of this process when the shell drains its node. */
  onDrain(handler: () => Promise<void>): void;
  /** Sends a heartbeat and reaps stale nodes. Called by the timer, and by tests. */
  beatNow(): Promise<void>;
}

interface NodeParts {
  sessions: Sessions;
  drops: Drops;
  presence: Presence;
  lease: NodeLease;
}

/** Creates this process's node, one of those that serve MQTT. */
export function createNode(deps: ConnectionsDeps, parts: NodeParts): Node {
  const { lease, sessions, drops } = parts;
  const heartbeat = createHeartbeat(deps, lease);
  const reaper = createReaper(deps, lease);
  const drain = createDrain(deps.logger);
  let nodeId: string | undefined;
  let stopJobs: (() => Promise<void>)[] = [];
  const completion = createCompletion(deps, parts, () => nodeId);

  async function beat(): Promise<void> {
    if (nodeId === undefined) return;
    const duties = await heartbeat.send(nodeId);
    completion.learn(duties);
    if (duties.isDraining) drain.begin();
  }

  /** Does the maintenance that may take long and must not delay a heartbeat. */
  async function maintain(): Promise<void> {
    if (nodeId === undefined) return;
    await completion.runIfDue();
    await reaper.run(nodeId, heartbeat.lastBeat());
  }

  return {
    async beatNow() {
      await beat();
      await maintain();
    },
    isLeader: heartbeat.isLeader,
    onDrain: drain.onDrain,
    reapNode: reaper.reapEnded,
    async startNode() {
      const id = deps.ids.uuid(deps.clock.now());
      await heartbeat.register(id);
      nodeId = id;
      lease.start();
      sessions.setNode(id);
      await reaper.runAtStart(id, heartbeat.lastBeat());
      await beat();
      await drops.start(id);
      stopJobs = [await completion.runAfterReconnects(), ...startJobs(deps, beat, maintain)];
      return id;
    },
    async stopNode() {
      if (nodeId === undefined) return;
      for (const stop of stopJobs) await stop();
      const isWritten = await stopParts(parts);
      const id = nodeId;
      nodeId = undefined;
      // Otherwise, the node that reaps this one sets the devices of the remaining sessions offline.
      if (isWritten) await deleteOwnRecord(deps, id);
    },
  };
}

function startJobs(
  { heartbeatMs = HEARTBEAT_MS, logger }: ConnectionsDeps,
  beat: () => Promise<void>,
  maintain: () => Promise<void>,
): (() => Promise<void>)[] {
  return [
    startPeriodicJob(heartbeatMs, "broker node heartbeat", beat, logger),
    startPeriodicJob(heartbeatMs, "maintain broker nodes", maintain, logger),
  ];
}

/** @returns whether the ends of all sessions have been written */
async function stopParts({ lease, drops, presence, sessions }: NodeParts): Promise<boolean> {
  lease.stop();
  await drops.stop();
  const isWritten = await presence.stop();
  sessions.setNode(undefined);
  return isWritten;
}

async function deleteOwnRecord({ database, logger }: ConnectionsDeps, nodeId: string): Promise<void> {
  try {
    await deleteNode(database.connects, nodeId);
  } catch (error) {
    const err = (error as Error).message;
    logger.warn({ err }, "could not delete the record of this node; the other nodes will reap it");
  }
}
