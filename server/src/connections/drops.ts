import type { Unlisten } from "../db/database.ts";
import { faultPoint } from "../lib/fault-points.ts";
import type { ConnectionsDeps } from "./deps.ts";
import { acknowledge, firstSeq, isAcknowledged, pendingDrops, type SessionDrop } from "./drop-store.ts";

const POLL_MS = 1_000;
const BATCH = 500;
/** How far back numbers are looked at again: no transaction of ours stays open across that many others. */
const MARGIN = 2_000;
/** Asked again in this time where the acknowledgement's NOTIFY got lost. */
const RECHECK_MS = 100;

/** Ends the sessions a drop is about; resolves when they are gone. Idempotent. */
export type DropHandler = (drop: SessionDrop) => Promise<void>;

export interface Drops {
  onDrop(handler: DropHandler): void;
  start(nodeId: string): Promise<void>;
  stop(): Promise<void>;
  /** Looks into the outbox now, and acts; resolves when all that had been committed before the call is done. */
  pump(): Promise<void>;
  /** Whether every live node has acknowledged the drop within `timeoutMs`. */
  awaitDrop(seq: string, timeoutMs: number): Promise<boolean>;
}

/**
 * Delivers the outbox of session drops to the broker of this process: on NOTIFY, on `awaitDrop`, and by a look every
 * second for what a lost connection swallowed.
 */
export function createDrops({ database, clock, logger }: ConnectionsDeps): Drops {
  const handlers: DropHandler[] = [];
  const waiting = new Set<() => void>();
  const unlisten: Unlisten[] = [];
  let nodeId: string | undefined;
  let floor = 0n;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let queued: Promise<void> | undefined;

  /** Coalesced: a call during a run gets the next run, which begins after the call and so sees what it wants seen. */
  function pump(): Promise<void> {
    if (nodeId === undefined) return Promise.resolve();
    if (!running) {
      running = deliverAll(nodeId).finally(() => {
        running = undefined;
      });
      return running;
    }
    queued ??= running
      .catch(() => undefined)
      .then(() => {
        queued = undefined;
        return pump();
      });
    return queued;
  }

  async function deliverAll(node: string): Promise<void> {
    for (;;) {
      const found = await pendingDrops(database.connects, node, floor, BATCH);
      if (found.length === 0) return;
      await faultPoint("drop.deliver");
      await Promise.all(found.flatMap(({ drop }) => handlers.map((handler) => handler(drop))));
      await faultPoint("drop.acknowledge");
      await acknowledge(
        database.connects,
        node,
        found.map(({ seq }) => seq),
      );
      const reached = BigInt(found.at(-1)!.seq) - BigInt(MARGIN);
      if (reached > floor) floor = reached;
      if (found.length < BATCH) return;
    }
  }

  function pumpQuietly(): void {
    pump().catch((error: Error) =>
      logger.warn({ err: error.message }, "could not deliver session drops; trying again"),
    );
  }

  async function awaitDrop(seq: string, timeoutMs: number): Promise<boolean> {
    const until = clock.monotonicMs() + timeoutMs;
    let attempts = Math.ceil(timeoutMs / RECHECK_MS);
    do {
      try {
        await pump();
        if (await isAcknowledged(database.connects, seq)) return true;
      } catch (error) {
        logger.warn({ err: (error as Error).message }, "could not see whether a session drop has been delivered");
      }
      await acknowledgement(Math.min(RECHECK_MS, timeoutMs));
    } while (--attempts > 0 && clock.monotonicMs() < until);
    return false;
  }

  function acknowledgement(atMostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(late);
        waiting.delete(done);
        resolve();
      };
      const late = setTimeout(done, atMostMs);
      waiting.add(done);
    });
  }

  return {
    onDrop: (handler) => void handlers.push(handler),
    pump,
    awaitDrop,
    async start(id) {
      floor = await firstSeq(database.connects, MARGIN);
      nodeId = id;
      unlisten.push(
        await database.listen("muster_drops", pumpQuietly),
        await database.listen("muster_drop_acks", () => {
          for (const done of waiting) done();
        }),
      );
      timer = setInterval(pumpQuietly, POLL_MS).unref();
      await pump();
    },
    async stop() {
      clearInterval(timer);
      for (const stop of unlisten.splice(0)) await stop();
      nodeId = undefined;
      await (queued ?? running)?.catch(() => undefined);
    },
  };
}
