import type { Database, Db, Unlisten } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, SECOND } from "../../lib/clock.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { type RetainOutcome, retainMessages } from "../retained/retained-messages.ts";
import type { NewRetained } from "../retained/retained-store.ts";
import {
  bytesOf,
  deleteMessages,
  insertMessages,
  type NewStoredMessage,
  type SentMessage,
  type SessionCaps,
  type StoredMessage,
  selectAdded,
  updateSent,
} from "./stored-message-store.ts";
import {
  countStored,
  deleteStoredSession,
  expiryOf,
  type KnownSession,
  listStored,
  partSession,
  pruneStored,
  type ResumedSession,
  type ResumeRequest,
  readStored,
  resumeSession,
  type StoredSubscription,
  writeSubscriptions,
} from "./stored-session-store.ts";
import { createUndelayedWills, type UndelayedWills } from "./undelayed-wills.ts";
import { beginDelay, type DueWill, deleteLeased, deleteWill, endDelay, leaseWills } from "./will-store.ts";

type Holder = Pick<ResumeRequest, "ownerId" | "sessionId">;

/** The state to store when the connection of a stored session ends. */
export interface PartedSession extends Holder {
  expirySeconds: number;
  incomingIds: number[];
  /** Stored messages that have been sent to the client. */
  sent: SentMessage[];
  /** The messages that are not stored yet, in order. */
  messages: NewStoredMessage[];
  /** The fate of its delayed will, if it has one. */
  will?: "due" | "void" | undefined;
}

/** The messages to store when a delayed will is published. */
export interface WillMessages {
  /** The messages for stored sessions. */
  stored: readonly NewStoredMessage[];
  /** The message to retain, if any. */
  retained: NewRetained | undefined;
}

export interface CompletedWill {
  /** The number of messages for which stored sessions had no room. */
  refused: number;
  retained: RetainOutcome | undefined;
}

/** MQTT sessions that outlive their connection, and wills. Every function rejects if the database fails. */
export interface StoredSessions extends UndelayedWills {
  /** Returns whether the tenant may have another stored session. */
  hasRoom(tenantId: string): Promise<boolean>;
  /** Gives an owner's stored session to a connection; `undefined` if another connection has replaced that one. */
  resume(request: ResumeRequest): Promise<ResumedSession | undefined>;
  writeSubscriptions(holder: Holder, subscriptions: readonly StoredSubscription[]): Promise<void>;
  /**
   * Records the end of a connection.
   *
   * @returns the number of messages that had no room; `undefined` if the connection no longer had the stored session
   */
  part(parted: PartedSession): Promise<number | undefined>;
  /** Deletes an owner's stored session; with `sessionId` only if this connection has it. */
  discard(ownerId: string, sessionId?: string): Promise<void>;
  /** Leases due wills to this process; a will that is not completed in time is leased again. */
  leaseWills(): Promise<DueWill[]>;
  /**
   * Deletes a leased will, retains its message and adds it to stored sessions in one transaction, so it happens exactly
   * once, and not at all if the client is back.
   *
   * @returns undefined if another process has the will by now, or it is void
   */
  completeWill(will: DueWill, messages: WillMessages): Promise<CompletedWill | undefined>;
  /** Adds messages of one tenant to stored sessions. @returns the number that had no room */
  enqueue(tenantId: string, messages: readonly NewStoredMessage[]): Promise<number>;
  /** Deletes messages that a client has acknowledged or may not receive. */
  deleteMessages(positions: readonly string[]): Promise<void>;
  /** Returns the messages added for a connection after a position, as long as it has the stored session. */
  readAdded(holder: Holder, after: string): Promise<StoredMessage[]>;
  /** Yields all stored sessions, including those of connected owners. */
  all(): AsyncIterable<KnownSession>;
  read(ownerId: string): Promise<KnownSession | undefined>;
  /**
   * Calls `handler` with the owner of each stored session that changes in any process, and with "" after changes may
   * have been missed.
   */
  onChange(handler: (ownerId: string) => void): Promise<Unlisten>;
  /**
   * Calls `handler` with each connected owner for whom messages are stored, and with "" after some may have been
   * missed.
   */
  onAdded(handler: (ownerId: string) => void): Promise<Unlisten>;
}

const LIST_LIMIT = 1_000;
/** The number of wills leased at a time, and the duration of the lease. */
const WILLS = 100;
const LEASE_MS = 10 * SECOND;
const BEFORE_ALL = "00000000-0000-0000-0000-000000000000";
/** The time for which a tenant's counted usage is reused. */
const COUNTED_MS = SECOND;

export function createStoredSessions(deps: ConnectionsDeps): StoredSessions {
  const { database, clock } = deps;
  const { db, connects } = database;
  const caps = sessionCaps(deps);
  const room = createRoom(deps);
  return {
    ...createUndelayedWills(deps),
    hasRoom: room.forSession,
    async resume(request) {
      const resumed = await resumeSession(connects, request, clock.now());
      await faultPoint("stored.resumed");
      return resumed;
    },
    writeSubscriptions: (holder, subscriptions) => writeSubscriptions(db, holder, subscriptions),
    async part(parted) {
      await faultPoint("stored.part");
      return await part(database, parted, { now: clock.now(), caps });
    },
    async discard(ownerId, sessionId) {
      await deleteStoredSession(db, ownerId, sessionId);
      // A session that ends itself has published its will.
      if (sessionId === undefined) await endDelay(db, ownerId, clock.now());
      else await deleteWill(db, sessionId);
    },
    leaseWills: () => leaseWills(db, clock.now(), addMs(clock.now(), LEASE_MS), WILLS),
    async completeWill(will, { stored, retained }) {
      const fitting = await room.forMessages(will.tenantId, stored);
      await faultPoint("will.complete");
      const completed = await completeWill(deps, will, { stored: fitting, retained });
      await faultPoint("will.completed");
      return completed && { ...completed, refused: completed.refused + stored.length - fitting.length };
    },
    async enqueue(tenantId, messages) {
      const fitting = await room.forMessages(tenantId, messages);
      const added = await inTransaction(db, (tx) => insertMessages(tx, fitting, caps));
      return messages.length - added;
    },
    async deleteMessages(positions) {
      await faultPoint("stored.acknowledge");
      await deleteMessages(db, positions);
    },
    readAdded: (holder, after) => selectAdded(db, holder, after, clock.now()),
    async *all() {
      let after = BEFORE_ALL;
      for (;;) {
        const found = await listStored(db, after, clock.now(), LIST_LIMIT);
        yield* found;
        if (found.length < LIST_LIMIT) return;
        after = found.at(-1)!.ownerId;
      }
    },
    async read(ownerId) {
      await faultPoint("stored.changed");
      return await readStored(db, ownerId, clock.now());
    },
    onChange: (handler) => database.listen("muster_stored_sessions", handler),
    onAdded: (handler) => database.listen("muster_stored_messages", handler),
  };
}

function sessionCaps({ limits }: Pick<ConnectionsDeps, "limits">): SessionCaps {
  return { messages: limits.storedMessages, bytes: limits.storedBytes };
}

async function part(
  { db }: Pick<Database, "db">,
  { sent, messages, will, ...parted }: PartedSession,
  { now, caps }: { now: Date; caps: SessionCaps },
): Promise<number | undefined> {
  const expiresAt = expiryOf(now, parted.expirySeconds);
  return await inTransaction(db, async (tx) => {
    if (!(await partSession(tx, parted, { ...parted, expiresAt }))) return undefined;
    if (will === "due") await beginDelay(tx, parted.sessionId, now, parted.expirySeconds);
    if (will === "void") await deleteWill(tx, parted.sessionId);
    await updateSent(tx, sent);
    return messages.length - (await insertMessages(tx, messages, caps));
  });
}

async function completeWill(
  deps: ConnectionsDeps,
  will: DueWill,
  { stored, retained }: WillMessages,
): Promise<CompletedWill | undefined> {
  return await inTransaction(deps.database.db, async (tx) => {
    if (!(await deleteLeased(tx, will))) return undefined;
    const outcomes = retained && (await retainMessages(deps, tx, will.tenantId, [retained]));
    const added = await insertMessages(tx, stored, sessionCaps(deps));
    return { refused: stored.length - added, retained: outcomes?.[0] };
  });
}

/** Creates the check of tenants' remaining room; usage is counted at most once per second. */
function createRoom({ database, clock, limits }: ConnectionsDeps) {
  const counted = new Map<string, { sessions: number; bytes: number; atMs: number }>();
  async function usage(tenantId: string) {
    const known = counted.get(tenantId);
    const nowMs = clock.monotonicMs();
    if (known && nowMs - known.atMs < COUNTED_MS) return known;
    const use = { ...(await countStored(database.db, tenantId)), atMs: nowMs };
    counted.set(tenantId, use);
    return use;
  }

  return {
    forSession: async (tenantId: string) => (await usage(tenantId)).sessions < limits.storedSessions,
    /** Returns the messages that fit into the tenant's limit on bytes. */
    async forMessages(tenantId: string, messages: readonly NewStoredMessage[]): Promise<NewStoredMessage[]> {
      if (messages.length === 0) return [];
      const use = await usage(tenantId);
      return messages.filter((message) => {
        use.bytes += bytesOf(message);
        return use.bytes <= limits.storedBytesPerTenant;
      });
    },
  };
}

/** Deletes expired stored sessions. */
export async function pruneStoredSessions(db: Db, now: Date, stopped?: AbortSignal): Promise<void> {
  await pruneStored(db, now, stopped);
}
