import { recordAct } from "../../audit/audit.ts";
import { BEGINNING, pruneAlong } from "../../db/prune.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addressBlock } from "../../lib/address.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import type { AccessDeps } from "../deps.ts";
import { addBlock, countNewBlocks, deleteUnseen, seeBlock } from "./key-address-store.ts";

/** A use of an API key. */
export interface KeyUse {
  keyId: string;
  tenantId: string;
  address: string;
  /** Whether the address is outside the ranges of the key's service account. */
  refused: boolean;
  now: Date;
}

/**
 * Records in the administrative audit the first use of an API key from an address block, and the first refused one, off
 * the request path.
 */
export interface KeyAddresses {
  record(use: KeyUse): void;
  /** Waits for pending writes. */
  drain(): Promise<void>;
  prune(stopped?: AbortSignal): Promise<void>;
}

/** The pairs of key and address block that a process remembers, least recently seen first. */
const MOST_REMEMBERED = 20_000;
/** The pairs being recorded at a time; a further one is recorded at its next use. */
const MOST_IN_FLIGHT = 10;

export function createKeyAddresses(deps: AccessDeps): KeyAddresses {
  const seen = new Map<string, number>();
  const inFlight = new Map<string, Promise<void>>();

  function isRecent(pair: string, now: number): boolean {
    const at = seen.get(pair);
    return at !== undefined && now - at < DAY;
  }

  function remember(pair: string, now: number): void {
    seen.delete(pair);
    seen.set(pair, now);
    if (seen.size > MOST_REMEMBERED) seen.delete(seen.keys().next().value!);
  }

  return {
    record(use) {
      const block = addressBlock(use.address);
      const pair = `${use.keyId} ${block} ${use.refused}`;
      if (isRecent(pair, use.now.getTime()) || inFlight.has(pair) || inFlight.size >= MOST_IN_FLIGHT) return;
      const write = recordBlock(deps, use, block)
        .then(() => remember(pair, use.now.getTime()))
        .catch((error: Error) => deps.logger.warn({ err: error.message }, "could not record the address of an API key"))
        .finally(() => inFlight.delete(pair));
      inFlight.set(pair, write);
    },
    async drain() {
      await Promise.all(inFlight.values());
    },
    async prune(stopped) {
      const before = addMs(deps.clock.now(), -deps.limits.keyAddressDays * DAY);
      const clean = (from: Date, limit: number) => deleteUnseen(deps.database.db, { from, before, limit });
      await pruneAlong(BEGINNING, clean, { stopped });
    },
  };
}

/** Records a block that is new for the key, unless the key has had too many new ones within a day. */
async function recordBlock(
  { database, ids, limits }: AccessDeps,
  { keyId, tenantId, address, refused, now }: KeyUse,
  block: string,
): Promise<void> {
  if (await seeBlock(database.db, { keyId, block, refused, now })) return;
  await inTransaction(database.db, async (tx) => {
    const others = await countNewBlocks(tx, { keyId, refused }, addMs(now, -DAY));
    if (others >= limits.keyAddressesPerDay) return;
    const name = await addBlock(tx, { keyId, block, refused, now });
    if (name === undefined) return;
    const after = {
      name,
      addressBlock: block,
      ...(others + 1 === limits.keyAddressesPerDay && { furtherOmitted: true }),
    };
    const by = { tenantId, actor: `apikey:${keyId}`, address };
    const given = { act: refused ? "key.refuse-address" : "key.use-from-new-address", target: keyId, after };
    await recordAct(tx, by, given, { ids, now });
  });
}
