import { setTimeout } from "node:timers/promises";
import { beginOfLastActs, recordAct } from "../audit/audit.ts";
import { countLiveCertificates } from "../certificates/certificates.ts";
import { deleteAllCommands } from "../commands/commands.ts";
import { deleteAllNodes } from "../connections/connections.ts";
import type { Database, Db, Tx } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { type EndedAccess, endShortLived } from "./end-access.ts";
import { isServed, placeOf } from "./former-store.ts";
import {
  type Carried,
  carryEndings,
  countDevicesToEnroll,
  type EarlierState,
  endOfState,
  type LaterState,
  readLaterState,
} from "./later-state.ts";

const ACT = "access.reapply-revocations";

export interface ReappliedRevocations {
  carried: Carried;
  ended: Pick<EndedAccess, "sessions" | "links">;
  /** The number of devices that enrolled or renewed after the recovered state, and must enroll again. */
  devicesToEnroll: number;
  /** The number of valid device certificates in the recovered database. */
  validCertificates: number;
}

export interface ReapplyDeps {
  /** The recovered database. */
  database: Pick<Database, "db">;
  /** The database before the recovery, which is only read. */
  former: Pick<Database, "db">;
  clock: Clock;
  ids: Ids;
}

/**
 * Ends in a recovered PostgreSQL database everything that has since ended in the former one, before a service starts on
 * it. It runs in one transaction, and repeating it changes nothing more.
 *
 * @throws Error while a service uses either database, or if the former one is the same, or is not a later state
 */
export async function reapplyRevocations(deps: ReapplyDeps): Promise<ReappliedRevocations> {
  const { database, former, clock, ids } = deps;
  await refuseServed(database.db, "the recovered database");
  await refuseServed(former.db, "the former database");
  if ((await placeOf(database.db)) === (await placeOf(former.db)))
    throw new Error(
      "the former database is the one in MUSTER_DATABASE_URL: give the address of the one before the recovery",
    );
  const later = await readFormer(database.db, former.db);
  return await inTransaction(database.db, async (tx) => {
    const now = clock.now();
    await deleteAllNodes(tx);
    // Devices may have acknowledged the commands since.
    await deleteAllCommands(tx);
    const carried = await carryEndings(tx, later, { ids, now });
    const ended = await endShortLived(tx, now);
    const devicesToEnroll = await countDevicesToEnroll(tx, later, now);
    const act = { act: ACT, target: "installation", after: { ...carried, ...ended, devicesToEnroll } };
    await recordAct(tx, { tenantId: null, actor: "system" }, act, { ids, now });
    return { carried, ended, devicesToEnroll, validCertificates: await countLiveCertificates(tx, now) };
  });
}

/** The longest that the connections of a process may outlive it. */
const CLOSED_WITHIN_MS = 2_000;
const CHECK_MS = 100;

async function refuseServed(db: Db, which: string): Promise<void> {
  for (let waited = 0; await isServed(db); waited += CHECK_MS) {
    if (waited >= CLOSED_WITHIN_MS)
      throw new Error(`a service uses ${which}: stop every service on it, so that nothing changes during the run`);
    await setTimeout(CHECK_MS);
  }
}

/** Reads a consistent snapshot of the former database. */
async function readFormer(recovered: Db, former: Db): Promise<LaterState> {
  const read = (earlier: EarlierState) =>
    former
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute((tx: Tx) => readLaterState(tx, earlier));
  const later = (await read(await endOfState(recovered))) ?? (await readRepeated(recovered, read));
  if (later !== undefined) return later;
  throw new Error(
    "the former database is not a later state of the recovered one: it belongs to another installation or is older, or a service has changed the recovered one since. Nothing was changed. Without the former database run muster revoke-all",
  );
}

/** The former database does not contain an earlier run of this command, after which nothing else was done. */
async function readRepeated(recovered: Db, read: (earlier: EarlierState) => Promise<LaterState | undefined>) {
  const repeatedFrom = await beginOfLastActs(recovered, ACT);
  return repeatedFrom && (await read(await endOfState(recovered, repeatedFrom)));
}
