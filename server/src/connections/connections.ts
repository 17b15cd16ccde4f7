import { type Bound, bind } from "../access/access.ts";
import { addMs, DAY, HOUR, SECOND } from "../lib/clock.ts";
import { tenantOfDevice } from "./client-ids.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { disconnectDevice } from "./disconnect-device.ts";
import { pruneDrops } from "./drops/drop-store.ts";
import { createDrops, type DropHandler } from "./drops/drops.ts";
import type { DropNumbers } from "./drops/enqueue-drop-store.ts";
import { enableMqttClient } from "./enable-mqtt-client.ts";
import { deleteMqttClient, disableMqttClient, getMqttClient, listMqttClients } from "./end-mqtt-clients.ts";
import { authenticateMqttClient, createMqttClient } from "./mqtt-clients.ts";
import { createNode } from "./node.ts";
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
import { readTrace, startTrace } from "./traces/client-traces.ts";
import { TraceRecorder } from "./traces/trace-recorder.ts";
import { pruneTraces } from "./traces/trace-store.ts";

export { isClientIdInUse, leaseToDevice } from "./client-id-store.ts";
export { DROP_TIMEOUT_MS } from "./drops/drops.ts";
export { type DropNumbers, type DropTarget, enqueueDrops, type SessionDrop } from "./drops/enqueue-drop-store.ts";
export {
  type ClientEndings,
  carryClientEndings,
  endClientPasswords,
  readClientEndings,
} from "./end-passwords-store.ts";
export { deleteAllNodes, type NodeProcess } from "./nodes/node-store.ts";
export { REFUSAL_REASONS, type RefusalReason } from "./refusals/refusal-reasons.ts";
export type { Refusal } from "./refusals/refusals.ts";
export { SYMPTOM_CODES } from "./refusals/symptoms.ts";
export type { RetainedChange, RetainedMessages, RetainOutcome } from "./retained/retained-messages.ts";
export type { NewRetained, VersionedMessage } from "./retained/retained-store.ts";
export type { NewSession, OpenedSession } from "./sessions.ts";
export type { NewStoredMessage, StoredMessage } from "./stored/stored-message-store.ts";
export type { KnownSession, ResumedSession, StoredSubscription } from "./stored/stored-session-store.ts";
export type { CompletedWill, PartedSession, StoredSessions } from "./stored/stored-sessions.ts";
export type { DueWill, StoredWill } from "./stored/will-store.ts";
export type { TraceRecorder } from "./traces/trace-recorder.ts";
export type { TraceKind } from "./traces/trace-store.ts";
export { TRACE_KINDS } from "./traces/trace-store.ts";

const DROP_RETENTION_MS = DAY;
const TRACE_RETENTION_MS = HOUR;

export const connectionUseCases = {
  createMqttClient,
  getMqttClient,
  listMqttClients,
  rotateMqttClientPassword,
  disableMqttClient,
  enableMqttClient,
  deleteMqttClient,
  disconnectDevice,
  listRefusals,
  listUnknownRefusals,
  listSymptoms,
  startTrace,
  readTrace,
};

const brokerServices = { authenticateMqttClient, tenantOfDevice };

/** Records the process that each client is connected to, and the refused clients (spec 4.10). */
export interface Connections extends Bound<typeof connectionUseCases>, Bound<typeof brokerServices> {
  /** Registers this process as a node that serves MQTT; must come before the first session. @returns the node's id */
  startNode(): Promise<string>;
  /** Writes pending changes and deletes the node. */
  stopNode(): Promise<void>;
  /** Removes a node whose process has ended, with its sessions, without waiting for missed heartbeats. */
  reapNode(nodeId: string): Promise<void>;
  /** Sends an extra heartbeat of this node (tests). */
  beatNow(): Promise<void>;
  /**
   * Makes a session the current one of its client id across all processes. The result names a predecessor in this
   * process, which the broker must close; the outbox closes one in another process. Rejects if the database fails.
   */
  openSession(session: NewSession): Promise<OpenedSession>;
  /** Removes a session's record, never its successor's. Written in the background, with retries. */
  closeSession(sessionId: string, reason: string): void;
  /** Resolves when all changes of `openSession` and `closeSession` are in the database. */
  flush(): Promise<void>;
  /** Records connect events, of any process, that were debounced and are now due. */
  recordOwedPresence(): Promise<void>;
  /**
   * Whether this process runs the periodic jobs that one process runs for all: the longest-running eligible process
   * does. After an interruption two processes may run them for a moment, which the jobs must tolerate.
   */
  isLeader(): boolean;
  /** Returns the nodes of all services on this database. */
  listNodes(): Promise<NodeRecord[]>;
  /**
   * Makes a node, or all nodes of a host, stop accepting MQTT connections and end their sessions.
   *
   * @returns the nodes, and how many others accept connections
   * @throws {MusterError} not_found, invalid_request
   */
  drainNodes(which: string): Promise<{ nodes: NodeRecord[]; accepting: number }>;
  /** Registers a handler that ends the sessions of this process when it is drained. */
  onDrain(handler: () => Promise<void>): void;
  /**
   * Registers a handler that ends every session of this process when its lease ends because the database stored no
   * heartbeat.
   */
  onLeaseEnd(handler: () => void): void;
  /**
   * Lets this process keep its sessions while the database answers no process, as long as `mayKeep` returns true, for
   * at most `maxMs`. This node then reaps others only after the database has answered it for the duration of a lease.
   * Otherwise it would reap nodes that were cut off, too.
   */
  outlastDatabase(mayKeep: () => boolean, maxMs: number): void;
  /** Whether this process may have sessions. */
  hasLease(): boolean;
  /**
   * Returns the lease of this process, by its own clock; undefined if it has none. A session ends with the lease in
   * which it began.
   */
  leaseTerm(): number | undefined;
  /** Registers a handler that closes the sessions of this process; see `DropHandler`. */
  onDrop(handler: DropHandler): void;
  /**
   * Delivers drops here immediately, then waits for the other nodes. Must follow the commit of `enqueueDrops`.
   *
   * @returns whether every live node with such sessions has closed them within `timeoutMs`; if not, the outbox retries
   */
  awaitDrops(seqs: DropNumbers, timeoutMs: number): Promise<boolean>;
  /** Sets the gauges of the nodes. */
  measure(): Promise<void>;
  /** The sessions that outlive their connection. */
  readonly storedSessions: StoredSessions;
  readonly retainedMessages: RetainedMessages;
  /** Records a refusal; never waits, never fails. */
  recordRefusal(refusal: Refusal): void;
  readonly traces: TraceRecorder;
  /** Removes delivered drops after a day, old refusals and traces, and expired stored sessions and retained
   * messages. */
  prune(stopped?: AbortSignal): Promise<void>;
}

export function createConnections(deps: ConnectionsDeps): Connections {
  const presence = createPresence(deps);
  const lease = createLease(deps);
  const drops = createDrops(deps);
  const sessions = new Sessions(deps, presence, lease, drops);
  const node = createNode(deps, { sessions, drops, presence, lease });
  const refusals = createRefusalJournal(deps);
  const traces = new TraceRecorder(deps);
  return {
    ...bind({ ...deps, drops, refusals, traces }, connectionUseCases),
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
    traces,
    prune: async (stopped) => {
      await pruneDrops(deps.database.db, addMs(deps.clock.now(), -DROP_RETENTION_MS), stopped);
      await refusals.prune(stopped);
      await pruneTraces(deps.database.db, addMs(deps.clock.now(), -TRACE_RETENTION_MS), stopped);
      await pruneStoredSessions(deps.database.db, deps.clock.now(), stopped);
      await pruneRetained(deps.database.db, deps.clock.now(), stopped);
    },
  };
}

/** Creates the lease. The embedded database has only one process, so its sessions can never be taken over. */
function createLease({ database, leaseClock, leaseSeconds, logger, metrics }: ConnectionsDeps): NodeLease {
  const lease = new NodeLease(leaseClock, database.kind === "embedded" ? Infinity : leaseSeconds * SECOND);
  lease.onEnd(() => {
    metrics.leasesEnded.inc();
    logger.error({ leaseSeconds }, "the database stored no heartbeat of this node in time; the node ends its sessions");
  });
  return lease;
}
