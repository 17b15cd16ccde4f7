import type { Db, Unlisten } from "../../db/database.ts";
import { RequestBatcher } from "../../lib/batching/request-batcher.ts";
import { coalesceRuns } from "../../lib/coalesce-runs.ts";
import { faultPoint } from "../../lib/fault-points.ts";
import { isUuid } from "../../lib/ids.ts";
import type { ConnectionsDeps } from "../deps.ts";
import { Acknowledgements } from "./acknowledgements.ts";
import { DropFloor } from "./drop-floor.ts";
import { acknowledge, newestSeq, pendingDrops, unacknowledged } from "./drop-store.ts";
import type { DropNumbers, SessionDrop } from "./enqueue-drop-store.ts";
import { type AwaitReplaced, createAwaitReplaced, MOST_CHECKED } from "./replaced-sessions.ts";

/**
 * The time that a caller of `awaitDrops` waits until every live node with such sessions has closed them. After that the
 * outbox keeps retrying.
 */
export const DROP_TIMEOUT_MS = 5_000;
const POLL_MS = 1_000;
const BATCH = 500;

/**
 * Closes the sessions of a drop; resolves once they are closed. Idempotent.
 *
 * @param replacedFrom for a takeover: the address from which the client is connected now
 */
export type DropHandler = (drop: SessionDrop, replacedFrom?: string) => Promise<void>;

export interface Drops {
  onDrop(handler: DropHandler): void;
  start(nodeId: string): Promise<void>;
  stop(): Promise<void>;
  /**
   * Re-reads the outbox from further back, because a crash of the database has lost drop numbers, which later drops get
   * again.
   */
  readAgain(): Promise<void>;
  /** Delivers the outbox now; resolves once everything committed before the call is delivered. */
  deliver(): Promise<void>;
  /** Returns whether every live node with sessions of the targets has acknowledged the drops within `timeoutMs`. */
  awaitDrops(seqs: DropNumbers, timeoutMs: number): Promise<boolean>;
  awaitReplaced: AwaitReplaced;
}

/**
 * Creates the delivery of session drops from the outbox to the broker of this process: on NOTIFY, on `awaitDrops`, and
 * by a poll every second in case a NOTIFY is lost. Drops for other nodes cost this one nothing.
 */
export function createDrops(deps: ConnectionsDeps): Drops {
  const { database, logger } = deps;
  const handlers: DropHandler[] = [];
  const acknowledgements = new Acknowledgements(logger);
  const checks = new RequestBatcher<DropNumbers, boolean>({
    most: MOST_CHECKED,
    run: (requests) => areAcknowledged(database.connects, requests),
    failsWholeBatch: () => true,
  });
  const unlisten: Unlisten[] = [];
  let node: ReadingNode | undefined;
  let timer: NodeJS.Timeout | undefined;
  const delivery = coalesceRuns(async () => {
    while (node !== undefined && (await deliverBatch(database.connects, node, handlers)));
  });

  function deliverInBackground(): void {
    delivery.run().catch((error: Error) => {
      logger.warn({ err: error.message }, "could not deliver session drops; retrying");
    });
  }

  return {
    onDrop: (handler) => void handlers.push(handler),
    deliver: delivery.run,
    async readAgain() {
      node?.floor.lower(await newestSeq(database.connects));
    },
    async awaitDrops(seqs, timeoutMs) {
      if (seqs.length === 0) return true;
      return await acknowledgements.until(timeoutMs, async () => {
        await delivery.run();
        return await checks.ask(seqs);
      });
    },
    awaitReplaced: createAwaitReplaced(deps, acknowledgements),
    async start(id) {
      node = { id, floor: new DropFloor(await newestSeq(database.connects)) };
      unlisten.push(
        await database.listen("muster_drops", (payload) => {
          if (!isUuid(payload) || payload === id) deliverInBackground();
        }),
        await database.listen("muster_drop_acks", acknowledgements.emit),
      );
      timer = setInterval(deliverInBackground, POLL_MS).unref();
      await delivery.run();
    },
    async stop() {
      clearInterval(timer);
      for (const stop of unlisten.splice(0)) await stop();
      node = undefined;
      await delivery.idle();
    },
  };
}

/** This node and its position in the outbox. */
interface ReadingNode {
  readonly id: string;
  readonly floor: DropFloor;
}

/** @returns whether there may be more */
async function deliverBatch(db: Db, node: ReadingNode, handlers: readonly DropHandler[]): Promise<boolean> {
  const found = await pendingDrops(db, node.id, node.floor.number, BATCH);
  if (found.length === 0) return false;
  await faultPoint("drop.deliver");
  await Promise.all(found.flatMap(({ drop, replacedFrom }) => handlers.map((handler) => handler(drop, replacedFrom))));
  await faultPoint("drop.acknowledge");
  const newest = await acknowledge(db, node.id, found);
  if (newest === undefined) return true;
  node.floor.acknowledged(BigInt(newest), found[0]!.snapshot);
  return found.length === BATCH;
}

/** @returns for each request, whether all its drops are acknowledged */
async function areAcknowledged(db: Db, requests: readonly DropNumbers[]): Promise<boolean[]> {
  const open = await unacknowledged(db, requests.flat());
  return requests.map((seqs) => !seqs.some((seq) => open.has(seq)));
}
