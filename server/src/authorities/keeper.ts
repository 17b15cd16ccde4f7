import { inTransaction } from "../db/transaction.ts";
import type { Database } from "../db/types.ts";
import { addMs, type Clock } from "../lib/clock.ts";
import { coalesceRuns } from "../lib/coalesce-runs.ts";
import type { Ids } from "../lib/ids.ts";
import type { Logger } from "../lib/logger.ts";
import type { Secret } from "../lib/secret.ts";
import { checkMasterKey, masterKeyCheck } from "../pki/pki.ts";
import {
  announceChange,
  CHANGED_CHANNEL,
  insertMasterKeyCheck,
  listAuthorities,
  listLiveAuthorities,
  readMasterKeyCheck,
} from "./authority-store.ts";
import { type Books, openBooks } from "./generations.ts";
import { isLive, type LiveSet, liveSet, versionOf } from "./live-set.ts";
import { carryOutWhatIsDue } from "./maintain.ts";
import {
  announceServerRoot,
  establish,
  succeedDeviceRoot,
  succeedIntermediate,
  succeedServerCertificates,
  takeOverServerRoot,
  upcomingServerRoot,
} from "./rotation.ts";
import { REQUESTED_OVERLAP } from "./schedule.ts";
import { serverHosts } from "./server-hosts.ts";
import { type AuthorityStatus, statusOf } from "./status.ts";

export interface AuthoritiesDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKey: Secret<Buffer>;
  /** DNS name or IP address that clients reach the servers by. */
  readonly publicHost: string;
}

export type ChangeKind = "due" | "intermediate" | "root" | "rootImmediately" | "server";

/** This process's copy of the hierarchy, and the one way to change it. */
export interface Keeper {
  live(): LiveSet;
  /** One transaction under the lock; afterwards this process has the new hierarchy, and listeners have been told. */
  change(kind: ChangeKind): Promise<void>;
  status(): Promise<AuthorityStatus[]>;
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}

const CHANGES: Record<ChangeKind, (books: Books) => Promise<void>> = {
  due: async () => undefined,
  intermediate: succeedIntermediate,
  server: succeedServerCertificates,
  root: async (books) => {
    await succeedDeviceRoot(books);
    await announceServerRoot(books, addMs(books.now, REQUESTED_OVERLAP));
  },
  rootImmediately: async (books) => {
    await succeedDeviceRoot(books);
    await announceServerRoot(books, books.now);
    await takeOverServerRoot(books, upcomingServerRoot(books)!);
  },
};

export async function createKeeper(deps: AuthoritiesDeps): Promise<Keeper> {
  const { database, logger } = deps;
  const masterKey = deps.masterKey.reveal();
  const listeners = new Set<() => void>();
  let live: LiveSet | undefined;
  /** One after the other, so that an older state never replaces a newer one. */
  const reloads = coalesceRuns(readAgain);
  const reload = reloads.run;

  await change("start");
  const unlisten = await database.listen(CHANGED_CHANNEL, () => {
    reload().catch((error: Error) => logger.error({ err: error.message }, "could not read the authorities again"));
  });
  await reload().catch(async (error) => {
    await unlisten();
    throw error;
  });

  async function change(kind: ChangeKind | "start"): Promise<void> {
    await inTransaction(database.db, async (tx) => {
      const hosts = serverHosts(deps.publicHost);
      const books = await openBooks(tx, { now: deps.clock.now(), ids: deps.ids, masterKey, hosts });
      await useMasterKey(books);
      if (kind === "start") {
        if (books.rows.length === 0) await establish(books);
      } else {
        await CHANGES[kind](books);
      }
      await carryOutWhatIsDue(books);
      if (books.changed) await announceChange(tx);
    });
  }

  async function readAgain(): Promise<void> {
    const rows = await listLiveAuthorities(database.db);
    const previous = live;
    if (versionOf(rows) === previous?.version) return;
    live = liveSet(rows, masterKey);
    if (previous !== undefined) logger.info("the certificate authorities have changed");
    for (const listener of listeners) tell(listener);
  }

  function tell(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      logger.error({ err: error }, "a listener could not take the new certificate authorities into use");
    }
  }

  return {
    live: () => live!,
    change: async (kind) => {
      await change(kind);
      await reload();
    },
    status: async () => (await listAuthorities(database.db)).map(statusOf),
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      listeners.clear();
      await unlisten();
      await reloads.settled();
    },
  };
}

/** The first process leaves the check value; every later one, and every change, must hold the same master key. */
async function useMasterKey({ tx, rows, masterKey }: Books): Promise<void> {
  const check = await readMasterKeyCheck(tx);
  if (check !== undefined) return checkMasterKey(masterKey, check);
  if (rows.length > 0) liveSet(rows.filter(isLive), masterKey);
  await insertMasterKeyCheck(tx, masterKeyCheck(masterKey));
}
