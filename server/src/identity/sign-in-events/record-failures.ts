import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { addMs, MINUTE } from "../../lib/clock.ts";
import type { IdentityDeps } from "../deps.ts";
import type { Failures } from "./failures.ts";
import {
  type Account,
  addRepeats,
  beginRepeats,
  countRepeats,
  findAccount,
  type RepeatsRow,
  takeEndedRepeats,
} from "./repeats-store.ts";

type Deps = Pick<IdentityDeps, "database" | "clock" | "ids" | "limits">;

/** The address block, and the target, of failures that are counted together because there are too many. */
const OTHERS = "others";
/** The target of failures with an address that no account has. */
const UNKNOWN = "unknown";

/**
 * Records failed sign-ins in the administrative audit of the account's tenant; failures without an account in that of
 * the installation. The first one is an entry. Further ones of the same account, address block and cause are counted
 * for an hour, and are one entry then ({@link recordRepeats}). A tenant has a bounded number of such counts, so a
 * stranger who guesses cannot make its audit grow without limit.
 */
export async function recordFailures(deps: Deps, failures: Failures): Promise<void> {
  await inTransaction(deps.database.db, async (tx) => {
    const account = await findAccount(tx, failures.email);
    const row = rowOf(account, failures);
    if (await addRepeats(tx, row)) return;
    const isFull = (await countRepeats(tx, row.tenant_id)) >= deps.limits.signInRepeatsOfTenant;
    const counted = isFull ? { ...row, user_id: null, address_block: OTHERS } : row;
    if (isFull && (await addRepeats(tx, counted))) return;
    const until = addMs(deps.clock.now(), deps.limits.signInRepeatMinutes * MINUTE);
    if (await beginRepeats(tx, { ...counted, times: 0, until })) return await record(deps, tx, counted, failures);
    // Another process has just added the row.
    if (!(await addRepeats(tx, counted))) throw new Error("the count has ended meanwhile");
  });
}

function rowOf(found: Account | undefined, { addressBlock, cause, tenantId, times, first, last }: Failures) {
  const account = tenantId === null || found?.tenant_id === tenantId ? found : undefined;
  const isEnough = cause === "password" || cause === "passkey";
  const known = account?.status === "deactivated" && isEnough ? "deactivated" : cause;
  return {
    tenant_id: account?.tenant_id ?? tenantId,
    user_id: account?.id ?? null,
    email: account?.email ?? null,
    address_block: addressBlock,
    cause: account ? known : cause === "password" ? "unknown_account" : cause,
    times,
    first_at: first,
    last_at: last,
  };
}

/** Records the counted repeats whose hour has ended; called every few minutes. */
export async function recordRepeats(deps: Deps, stopped?: AbortSignal): Promise<void> {
  let taken: number;
  do {
    taken = await inTransaction(deps.database.db, async (tx) => {
      const rows = await takeEndedRepeats(tx, deps.clock.now(), BATCH);
      for (const row of rows) if (row.times > 0) await record(deps, tx, row, { address: null, actor: "visitor" });
      return rows.length;
    });
  } while (taken === BATCH && !stopped?.aborted);
}

const BATCH = 200;

async function record(
  { ids, clock }: Deps,
  tx: Tx,
  row: Omit<RepeatsRow, "until">,
  { address, actor }: { address: string | null; actor: string },
): Promise<void> {
  const { tenant_id: tenantId, user_id, email, cause, address_block: addressBlock, times, first_at, last_at } = row;
  const target = user_id ?? (addressBlock === OTHERS ? OTHERS : UNKNOWN);
  const period = times > 1 ? { from: first_at, to: last_at } : {};
  const after = { ...(email !== null && { email }), cause, addressBlock, times, ...period };
  const act = { act: "session.refuse", target, after };
  await recordAct(tx, { tenantId, actor, address: address ?? undefined }, act, { ids, now: clock.now() });
}
