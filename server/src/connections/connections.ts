import type { Caller } from "../access/access.ts";
import { addMs, DAY } from "../lib/clock.ts";
import type { Page, PageRequest } from "../lib/page.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { pruneDrops } from "./drop-store.ts";
import { createDrops, type DropHandler } from "./drops.ts";
import {
  authenticateMqttClient,
  createMqttClient,
  disableMqttClient,
  type MqttClientPrincipal,
  type MqttCredentials,
  type NewMqttClient,
} from "./mqtt-clients.ts";
import { createNode } from "./node.ts";
import { createPresence } from "./presence.ts";
import { createRefusalJournal, type Refusal, type RefusalRecord } from "./refusals.ts";
import { createSessions, type NewSession, type OpenedSession } from "./sessions.ts";

export { isClientIdInUse, leaseToDevice } from "./client-id-store.ts";
export { type DropTarget, enqueueDrop, type SessionDrop } from "./drop-store.ts";
export { disableAllMqttClients } from "./mqtt-client-store.ts";
export { deleteAllNodes } from "./node-store.ts";
export type {
  DropHandler,
  MqttClientPrincipal,
  MqttCredentials,
  NewMqttClient,
  NewSession,
  OpenedSession,
  Refusal,
  RefusalRecord,
};

const KEEP_DROPS_MS = DAY;

/** Who is connected, from which process, and who was refused (spec 4.10). */
export interface Connections {
  /** Enters this process among those that serve MQTT; before the first session. @returns its id */
  startNode(): Promise<string>;
  /** Writes what is left and leaves. */
  stopNode(): Promise<void>;
  /** One beat of this node out of turn (tests). */
  beatNow(): Promise<void>;
  /**
   * Makes a session the one of its client id, over all processes. Its predecessor is named when it lives here, for the
   * broker to close; one elsewhere is told by the outbox. Rejects when the database fails.
   */
  openSession(session: NewSession): Promise<OpenedSession>;
  /** Takes a session off the books; never its successor. Needs no waiting: it is written soon, and retried. */
  closeSession(sessionId: string, reason: string): void;
  /** Resolves when all that `openSession` and `closeSession` told is in the database. */
  flush(): Promise<void>;
  /** Registers what ends the sessions of this process; see `DropHandler`. */
  onDrop(handler: DropHandler): void;
  /**
   * After the transaction of `enqueueDrop` has committed: delivers here at once, then waits for the other nodes.
   *
   * @returns whether every live node has closed the sessions within `timeoutMs`; if not, the outbox goes on trying
   */
  awaitDrop(seq: string, timeoutMs: number): Promise<boolean>;
  createMqttClient(caller: Caller, input: NewMqttClient): Promise<{ id: string; password: string }>;
  disableMqttClient(caller: Caller, id: string): Promise<void>;
  authenticateMqttClient(
    given: MqttCredentials,
  ): Promise<{ ok: true; principal: MqttClientPrincipal } | { ok: false; tenantId?: string }>;
  /** Notes a refusal; never waits, never fails. */
  recordRefusal(refusal: Refusal): void;
  listRefusals(caller: Caller, page: PageRequest): Promise<Page<RefusalRecord>>;
  /** Removes delivered drops after a day, and old refusals. */
  prune(): Promise<void>;
}

export function createConnections(deps: ConnectionsDeps): Connections {
  const presence = createPresence(deps.database.connects, deps.logger);
  const sessions = createSessions(deps, presence);
  const drops = createDrops(deps);
  const node = createNode(deps, { sessions, drops, presence });
  const refusals = createRefusalJournal(deps);
  return {
    startNode: node.startNode,
    stopNode: async () => {
      await refusals.stop();
      await node.stopNode();
    },
    beatNow: node.beatNow,
    openSession: sessions.openSession,
    closeSession: sessions.closeSession,
    flush: presence.flush,
    onDrop: drops.onDrop,
    awaitDrop: drops.awaitDrop,
    createMqttClient: (caller, input) => createMqttClient(deps, caller, input),
    disableMqttClient: (caller, id) => disableMqttClient(deps, drops, caller, id),
    authenticateMqttClient: (given) => authenticateMqttClient(deps, given),
    recordRefusal: refusals.recordRefusal,
    listRefusals: refusals.listRefusals,
    prune: async () => {
      await pruneDrops(deps.database.db, addMs(deps.clock.now(), -KEEP_DROPS_MS));
      await refusals.prune();
    },
  };
}
