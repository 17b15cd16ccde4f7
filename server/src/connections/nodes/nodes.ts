import { SECOND } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logger.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { ambiguousNode, unknownNode } from "../errors.ts";
import type { NodeLease } from "./node-lease.ts";
import { countAccepting, countNodes, type NodeRow, readNodes, setDraining } from "./node-store.ts";

/** A process that serves, or one that crashed without deregistering. */
export interface NodeRecord {
  id: string;
  /** The name of the machine. */
  host: string;
  version: string;
  part: string;
  startedAt: Date;
  heardAt: Date;
  state: "running" | "draining" | "silent";
  sessions: number;
}

type Deps = Pick<ConnectionsDeps, "database">;

/** Returns the nodes of all services on this database, by host and start. */
export async function listNodes({ database }: Deps): Promise<NodeRecord[]> {
  return (await readNodes(database.db)).map(toRecord);
}

/**
 * Makes nodes stop accepting MQTT connections and end their sessions at a limited rate. They notice at their next
 * heartbeat.
 *
 * @param which a node's id or its first characters, or the name of a host for all its nodes
 * @returns the nodes, and how many others accept connections
 * @throws {MusterError} not_found; invalid_request if several ids begin with these characters
 */
export async function drainNodes(
  { database }: Deps,
  which: string,
): Promise<{ nodes: NodeRecord[]; accepting: number }> {
  const nodes = (await readNodes(database.db)).filter(({ id, host }) => host === which || id.startsWith(which));
  if (nodes.length === 0) throw unknownNode(which);
  if (nodes.length > 1 && nodes.some(({ host }) => host !== which)) throw ambiguousNode(which);
  const ids = nodes.map(({ id }) => id);
  await setDraining(database.db, ids);
  const drained = (await readNodes(database.db)).filter(({ id }) => ids.includes(id)).map(toRecord);
  return { nodes: drained, accepting: await countAccepting(database.db) };
}

/** Creates the drain of this process's node, which begins at most once. */
export function createDrain(logger: Logger) {
  const handlers: (() => Promise<void>)[] = [];
  let isBegun = false;
  return {
    /** Registers a handler that ends the sessions of this process. */
    onDrain: (handler: () => Promise<void>) => void handlers.push(handler),
    begin(): void {
      if (isBegun) return;
      isBegun = true;
      logger.info("this node is draining: it accepts no MQTT connections and ends its sessions");
      Promise.all(handlers.map((handler) => handler())).then(
        () => logger.info("this node is drained: its sessions have ended"),
        (error: Error) => logger.error({ err: error.message }, "this node could not be drained"),
      );
    },
  };
}

/** Sets the gauges of the nodes. If the database does not answer, those read from it are removed. */
export async function measureNodes(
  { database, metrics, leaseSeconds }: ConnectionsDeps,
  lease: NodeLease,
): Promise<void> {
  if (lease.ageMs < Infinity) metrics.heartbeatAge.set(lease.ageMs / SECOND);
  metrics.leaseSeconds.set(leaseSeconds);
  metrics.nodes.reset();
  for (const { state, part, count } of await countNodes(database.db)) metrics.nodes.set({ state, part }, count);
}

function toRecord(row: NodeRow): NodeRecord {
  const { id, host, version, part, started_at, beat_at, draining_at, is_stale, sessions } = row;
  const state = is_stale ? "silent" : draining_at === null ? "running" : "draining";
  return { id, host, version, part, startedAt: started_at, heardAt: beat_at, state, sessions: Number(sessions) };
}
