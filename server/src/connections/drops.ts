import type { Db, Unlisten } from "../db/database.ts";
import { RequestBatcher } from "../lib/batching/request-batcher.ts";
import { type CoalescedRuns, coalesceRuns } from "../lib/coalesce-runs.ts";
import { faultPoint } from "../lib/fault-points.ts";
import { isUuid } from "../lib/ids.ts";
import { withTimeout } from "../lib/timeouts.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { acknowledge, firstSeq, pendingDrops, unacknowledged } from "./drop-store.ts";
import type { DropNumbers, SessionDrop } from "./enqueue-drop-store.ts";

/** How long a caller waits until every process has closed the sessions of a drop; the outbox goes on beyond that. */
export const DROP_TIMEOUT_MS = 5_000;
const POLL_MS = 1_000;
const BATCH = 500;
/** Callers whose drops one statement checks: as many devices wait when a machine is lost. */
const MOST_CHECKED = 1_000;
/** How far back numbers are read again: no transaction of ours stays open across that many others. */
const MARGIN = 2_000;
/** Interval of `awaitDrops`'s check, for a lost NOTIFY of an acknowledgement. */
const RECHECK_MS = 100;

/** Closes the sessions of a drop; resolves when they are closed. Idempotent. */
export type DropHandler = (drop: SessionDrop) => Promise<void>;

export interface Drops {
  onDrop(handler: DropHandler): void;
  start(nodeId: string): Promise<void>;
  stop(): Promise<void>;
  /** Delivers the outbox now; resolves when all that had been committed before the call is delivered. */
  deliver(): Promise<void>;
  /** Whether every live node that has sessions of the targets has acknowledged the drops within `timeoutMs`. */
  awaitDrops(seqs: DropNumbers, timeoutMs: number): Promise<boolean>;
}

/**
 * Delivers the outbox of session drops to the broker of this process: on NOTIFY, on `awaitDrops`, and by a poll every
 * second for a lost NOTIFY. What concerns other nodes only costs this one nothing.
 */
export function createDrops(deps: ConnectionsDeps): Drops {
  const { database, logger } = deps;
  const handlers: DropHandler[] = [];
  const acknowledgements = createSignal();
  const checks = new RequestBatcher<DropNumbers, boolean>({
    most: MOST_CHECKED,
    run: (requests) => areAcknowledged(database.connects, requests),
    isOfAll: () => true,
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
    awaitDrops: async (seqs, timeoutMs) =>
      seqs.length === 0 || (await awaitAcknowledged(deps, { delivery, acknowledgements, checks }, seqs, timeoutMs)),
    async start(id) {
      node = { id, floor: await firstSeq(database.connects, MARGIN) };
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
      await delivery.settled();
    },
  };
}

/** This node, and the number up to which it has read the outbox. */
interface ReadingNode {
  readonly id: string;
  floor: bigint;
}

/** @returns whether there may be more */
async function deliverBatch(db: Db, node: ReadingNode, handlers: readonly DropHandler[]): Promise<boolean> {
  const found = await pendingDrops(db, node.id, node.floor, BATCH);
  if (found.length === 0) return false;
  await faultPoint("drop.deliver");
  await Promise.all(found.flatMap(({ drop }) => handlers.map((handler) => handler(drop))));
  await faultPoint("drop.acknowledge");
  const seqs = found.map(({ seq }) => seq);
  await acknowledge(db, node.id, seqs);
  const done = BigInt(seqs.at(-1)!) - BigInt(MARGIN);
  if (done > node.floor) node.floor = done;
  return found.length === BATCH;
}

interface Delivery {
  readonly delivery: CoalescedRuns;
  readonly acknowledgements: Signal;
  /** Whether drops are acknowledged. */
  readonly checks: RequestBatcher<DropNumbers, boolean>;
}

/** @returns of each request whether all its drops are */
async function areAcknowledged(db: Db, requests: readonly DropNumbers[]): Promise<boolean[]> {
  const open = await unacknowledged(db, requests.flat());
  return requests.map((seqs) => !seqs.some((seq) => open.has(seq)));
}

async function awaitAcknowledged(
  { clock, logger }: ConnectionsDeps,
  { delivery, acknowledgements, checks }: Delivery,
  seqs: DropNumbers,
  timeoutMs: number,
): Promise<boolean> {
  const until = clock.monotonicMs() + timeoutMs;
  let attempts = Math.ceil(timeoutMs / RECHECK_MS);
  do {
    try {
      await delivery.run();
      if (await checks.ask(seqs)) return true;
    } catch (error) {
      logger.warn({ err: (error as Error).message }, "could not check whether a session drop has been delivered");
    }
    await acknowledgements.next(Math.min(RECHECK_MS, timeoutMs));
  } while (--attempts > 0 && clock.monotonicMs() < until);
  return false;
}

/** An event that several callers await, each for a limited time. */
interface Signal {
  emit(): void;
  next(atMostMs: number): Promise<void>;
}

function createSignal(): Signal {
  const waiting = new Set<() => void>();
  return {
    emit() {
      for (const resolve of waiting) resolve();
    },
    next(atMostMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      return withTimeout(promise, atMostMs, () => undefined).finally(() => waiting.delete(resolve));
    },
  };
}
