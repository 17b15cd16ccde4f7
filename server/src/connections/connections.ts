import { type Bound, bind } from "../access/access.ts";
import { addMs, DAY, SECOND } from "../lib/clock.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { disconnectDevice } from "./disconnect-device.ts";
import { pruneDrops } from "./drops/drop-store.ts";
import { createDrops, type DropHandler } from "./drops/drops.ts";
import type { DropNumbers } from "./drops/enqueue-drop-store.ts";
import { enableMqttClient } from "./enable-mqtt-client.ts";
import { deleteMqttClient, disableMqttClient, listMqttClients } from "./end-mqtt-clients.ts";
import { authenticateMqttClient, createMqttClient } from "./mqtt-clients.ts";
import { createNode } from "./nodes/node.ts";
import { NodeLease } from "./nodes/node-lease.ts";
import { drainNodes, listNodes, measureNodes, type NodeRecord } from "./nodes/nodes.ts";
import { createPresence } from "./presence.ts";
import { createRefusalJournal, listRefusals, listUnknownRefusals, type Refusal } from "./refusals/refusals.ts";
import { listSymptoms } from "./refusals/symptoms.ts";
import { createRetainedMessages, type RetainedMessages } from "./retained/retained-messages.ts";
import { pruneRetained } from "./retained/retained-store.ts";
import { rotateMqttClientPassword } from "./rotate-password.ts";
import { type NewSession, type OpenedSession, Sessions } from "./sessions.ts";
import { createStoredSessions, pruneStoredSessions, type StoredSessions } from "./stored/stored-sessions.ts";

export { isClientIdInUse, leaseToDevice } from "./client-id-store.ts";
export type { DropHandler } from "./drops/drops.ts";
export { type DropNumbers, type DropTarget, enqueueDrops, type SessionDrop } from "./drops/enqueue-drop-store.ts";
export type { MqttClientRecord } from "./end-mqtt-clients.ts";
export {
  type ClientEndings,
  carryClientEndings,
  endClientPasswords,
  readClientEndings,
} from "./end-passwords-store.ts";
export type { MqttClientPrincipal, MqttCredentials, NewMqttClient } from "./mqtt-clients.ts";
export { deleteAllNodes, type NodeProcess } from "./nodes/node-store.ts";
export type { NodeRecord } from "./nodes/nodes.ts";
export { REFUSAL_REASONS, type RefusalReason } from "./refusals/refusal-reasons.ts";
export type { Refusal, RefusalRecord } from "./refusals/refusals.ts";
export type { RetainedChange, RetainedMessages, RetainOutcome } from "./retained/retained-messages.ts";
export type { NewRetained, RetainedMessage, VersionedMessage } from "./retained/retained-store.ts";
export type { NewSession, OpenedSession } from "./sessions.ts";
export type { NewStoredMessage, SentMessage, StoredMessage } from "./stored/stored-message-store.ts";
export type { KnownSession, ResumedSession, StoredSubscription } from "./stored/stored-session-store.ts";
export type { PartedSession, SettledWill, StoredSessions } from "./stored/stored-sessions.ts";
export type { DelayedWill, DueWill } from "./stored/will-store.ts";

const DROP_RETENTION_MS = DAY;

export const connectionUseCases = {
  createMqttClient,
  listMqttClients,
  rotateMqttClientPassword,
  disableMqttClient,
  enableMqttClient,
  deleteMqttClient,
  disconnectDevice,
  listRefusals,
  listUnknownRefusals,
  listSymptoms,
};

const brokerServices = { authenticateMqttClient };

/** Which clients are connected to which process, and which were refused (spec 4.10). */
export interface Connections extends Bound<typeof connectionUseCases>, Bound<typeof brokerServices> {
  /** Registers this process as a node that serves MQTT; before the first session. @returns its id */
  startNode(): Promise<string>;
  /** Writes pending changes and deletes the node. */
  stopNode(): Promise<void>;
  /** Removes a node whose process has ended, with its sessions, without waiting until its heartbeat is missed. */
  reapNode(nodeId: string): Promise<void>;
  /** One heartbeat of this node out of turn (tests). */
  beatNow(): Promise<void>;
  /**
   * Makes a session the current one of its client id, over all processes. The answer names a predecessor in this process, for the
   * broker to close; the outbox closes one in another process. Rejects when the database fails.
   */
  openSession(session: NewSession): Promise<OpenedSession>;
  /** Removes the record of a session; never its successor's. Written in the background, and retried. */
  closeSession(sessionId: string, reason: string): void;
  /** Resolves when all changes of `openSession` and `closeSession` are in the database. */
  flush(): Promise<void>;
  /** Records the connect events that damping has held back and whose time has come, of every process. */
  recordOwedPresence(): Promise<void>;
  /**
   * Whether this process has the periodic jobs that one does for all: the one of those that may which has run for longest. For a moment
   * two may have them, after an interruption; the jobs must allow it.
   */
  isLeader(): boolean;
  /** The nodes of all services on this database. */
  listNodes(): Promise<NodeRecord[]>;
  /**
   * Has a node, or all nodes of a host, accept no more MQTT connections and end their sessions.
   *
   * @returns the nodes, and how many others accept connections
   * @throws MusterError not_found, invalid_request
   */
  drainNodes(which: string): Promise<{ nodes: NodeRecord[]; accepting: number }>;
  /** Registers what ends the sessions of this process when it is to be drained. */
  onDrain(handler: () => Promise<void>): void;
  /** Registers what ends every session of this process when its lease has ended, because the database has stored no heartbeat. */
  onLeaseEnd(handler: () => void): void;
  /**
   * Has this process keep its sessions while the database answers no process, as long as `mayKeep` says so, for at most `maxMs`. Other nodes are reaped
   * only once the database has answered this one for as long as a lease, so that those which were away, too, are not.
   */
  outlastDatabase(mayKeep: () => boolean, maxMs: number): void;
  /** Whether this process may have sessions. */
  hasLease(): boolean;
  /** The lease of this process, by its own clock; undefined while it has none. A session ends with the lease in which it began. */
  leaseTerm(): number | undefined;
  /** Registers what closes the sessions of this process; see `DropHandler`. */
  onDrop(handler: DropHandler): void;
  /**
   * After the transaction of `enqueueDrops` has committed: delivers here at once, then waits for the other nodes.
   *
   * @returns whether every live node that has such sessions has closed them within `timeoutMs`; if not, the outbox retries
   */
  awaitDrops(seqs: DropNumbers, timeoutMs: number): Promise<boolean>;
  /** Sets the gauges of the nodes. */
  measure(): Promise<void>;
  /** The sessions that outlive their connection. */
  readonly storedSessions: StoredSessions;
  readonly retainedMessages: RetainedMessages;
  /** Records a refusal; never waits, never fails. */
  recordRefusal(refusal: Refusal): void;
  /** Removes delivered drops after a day, old refusals, and stored sessions and retained messages that have expired. */
  prune(stopped?: AbortSignal): Promise<void>;
}

export function createConnections(deps: ConnectionsDeps): Connections {
  const presence = createPresence(deps);
  const lease = createLease(deps);
  const drops = createDrops(deps);
  const sessions = new Sessions(deps, presence, lease, drops);
  const node = createNode(deps, { sessions, drops, presence, lease });
  const refusals = createRefusalJournal(deps);
  return {
    ...bind({ ...deps, drops, refusals }, connectionUseCases),
    ...bind(deps, brokerServices),
    startNode: node.startNode,
    stopNode: async () => {
      await refusals.stop();
      await node.stopNode();
    },
    reapNode: node.reapNode,
    beatNow: node.beatNow,
    isLeader: node.isLeader,
    listNodes: () => listNodes(deps),
    drainNodes: (which) => drainNodes(deps, which),
    onDrain: node.onDrain,
    onLeaseEnd: (handler) => lease.onEnd(handler),
    outlastDatabase: (mayKeep, maxMs) => lease.outlast(mayKeep, maxMs),
    hasLease: () => lease.term !== undefined,
    leaseTerm: () => lease.term,
    openSession: (session) => sessions.openSession(session),
    closeSession: (sessionId, reason) => sessions.closeSession(sessionId, reason),
    flush: presence.flush,
    recordOwedPresence: presence.recordOwed,
    onDrop: drops.onDrop,
    awaitDrops: drops.awaitDrops,
    measure: () => measureNodes(deps, lease),
    storedSessions: createStoredSessions(deps),
    retainedMessages: createRetainedMessages(deps),
    recordRefusal: refusals.recordRefusal,
    prune: async (stopped) => {
      await pruneDrops(deps.database.db, addMs(deps.clock.now(), -DROP_RETENTION_MS), stopped);
      await refusals.prune(stopped);
      await pruneStoredSessions(deps.database.db, deps.clock.now(), stopped);
      await pruneRetained(deps.database.db, deps.clock.now(), stopped);
    },
  };
}

/** The embedded database has one process, whose sessions no other one can take. */
function createLease({ database, leaseClock, leaseSeconds, logger, metrics }: ConnectionsDeps): NodeLease {
  const lease = new NodeLease(leaseClock, database.kind === "embedded" ? Infinity : leaseSeconds * SECOND);
  lease.onEnd(() => {
    metrics.leasesEnded.inc();
    logger.error({ leaseSeconds }, "the database has stored no heartbeat of this node in time: it ends its sessions");
  });
  return lease;
}
