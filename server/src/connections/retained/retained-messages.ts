import type { Tx, Unlisten } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Clock } from "../../lib/clock.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import type { ConnectionsDeps } from "../deps.ts";
import type { DropTarget } from "../drops/enqueue-drop-store.ts";
import {
  deleteTopics,
  listRetained,
  lockTenant,
  type NewRetained,
  readOwner,
  readRetained,
  type VersionedMessage,
  writeRetained,
} from "./retained-store.ts";

/** A retained message was added, replaced or removed. */
export interface RetainedChange {
  tenantId: string;
  topic: string;
  version: number;
}

/** The outcome of retaining a message. */
export type RetainOutcome =
  | { kind: "retained"; version: number }
  /** The message was empty, so its topic has none any more. */
  | { kind: "removed" }
  /** The tenant has too many retained messages, or too many bytes of them. */
  | { kind: "quota" }
  /** The publisher has lost the right to the topic. */
  | { kind: "void" };

/** The last message of each topic that was published with RETAIN. Every function rejects if the database fails. */
export interface RetainedMessages {
  /**
   * Retains messages of one tenant on different topics; an empty payload removes its topic's message. Durable once it
   * resolves.
   *
   * @returns the outcome of each, in order
   */
  write(tenantId: string, messages: readonly NewRetained[]): Promise<RetainOutcome[]>;
  /** Yields all messages of a tenant whose publishers may still publish them, in parts. */
  all(tenantId: string): AsyncIterable<VersionedMessage[]>;
  read(tenantId: string, topics: readonly string[]): Promise<VersionedMessage[]>;
  /** Returns the owner whose messages a drop affects: the `ownerId` of messages. */
  ownerOf(target: DropTarget): Promise<string | undefined>;
  /** Calls `handler` with each change in any process, and with `undefined` after changes may have been missed. */
  onChange(handler: (change: RetainedChange | undefined) => void): Promise<Unlisten>;
}

const PART = 500;

export function createRetainedMessages(deps: ConnectionsDeps): RetainedMessages {
  const { database, clock } = deps;
  const { db } = database;
  return {
    async write(tenantId, messages) {
      const outcomes = await inTransaction(db, (tx) => retainMessages(deps, tx, tenantId, messages));
      await faultPoint("retained.committed");
      return outcomes;
    },
    async *all(tenantId) {
      let after = "";
      for (;;) {
        const part = await listRetained(db, tenantId, { after, limit: PART, now: clock.now() });
        yield part;
        if (part.length < PART) return;
        after = part.at(-1)!.topic;
      }
    },
    read: (tenantId, topics) => readRetained(db, tenantId, topics, clock.now()),
    ownerOf: async (target) => ("sessionId" in target ? undefined : await readOwner(db, target)),
    onChange: (handler) => database.listen("muster_retained", (payload) => handler(changeOf(payload))),
  };
}

/** Runs {@link RetainedMessages.write} inside a transaction. */
export async function retainMessages(
  { clock, limits }: { clock: Clock; limits: Pick<ConnectionsDeps["limits"], "retainedMessages" | "retainedBytes"> },
  tx: Tx,
  tenantId: string,
  messages: readonly NewRetained[],
): Promise<RetainOutcome[]> {
  const caps = { messages: limits.retainedMessages, bytes: limits.retainedBytes };
  const kept = messages.filter(({ payload }) => payload.length > 0);
  const removed = messages.filter(({ payload }) => payload.length === 0).map(({ topic }) => topic);
  await lockTenant(tx, tenantId);
  await deleteTopics(tx, tenantId, removed);
  const written = await writeRetained(tx, tenantId, kept, { caps, now: clock.now() });
  const versions = new Map(written.map(({ topic, version }) => [topic, version]));
  return messages.map(({ topic, payload }) => outcomeOf(payload, versions.get(topic)));
}

function outcomeOf(payload: Buffer, version: string | null | undefined): RetainOutcome {
  if (payload.length === 0) return { kind: "removed" };
  if (version === undefined) return { kind: "void" };
  return version === null ? { kind: "quota" } : { kind: "retained", version: Number(version) };
}

function changeOf(payload: string): RetainedChange | undefined {
  if (payload === "") return undefined;
  const [tenantId, version, topic] = JSON.parse(payload) as [string, number, string];
  return { tenantId, version, topic };
}
