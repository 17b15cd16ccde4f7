import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import type { IdentityDeps } from "../deps.ts";
import { usedCode, wrongCode } from "../errors.ts";
import type { Session } from "../session.ts";
import {
  countRecoveryCodes,
  factorOwner,
  type LockedFactor,
  lockFactor,
  takeRecoveryCode,
  takeStep,
} from "./factor-store.ts";
import { normalizeRecoveryCode, recoveryCodeHash } from "./recovery-codes.ts";
import { stepsOf } from "./totp.ts";

type Holder = Pick<Session, "user" | "tenant">;

/**
 * Consumes a code of the user's second factor, or a recovery code, in the transaction of the work it admits. Only one
 * of two requests with the same code succeeds, in whichever processes they run.
 *
 * @param address the origin of the request, for the audit of a recovery code
 * @returns the id of the factor
 * @throws MusterError invalid_credentials
 */
export async function takeCode(
  deps: IdentityDeps,
  tx: Tx,
  holder: Holder,
  { code, address }: { code: string; address: string },
): Promise<string> {
  const factor = await lockFactor(tx, holder.user.id, "confirmed");
  if (!factor) throw wrongCode();
  if (normalizeRecoveryCode(code) === undefined) await takeTimeCode(deps, tx, { ...holder, factor }, code);
  else await takeRecovery(deps, tx, { ...holder, factor }, { code, address });
  return factor.id;
}

async function takeTimeCode(
  { clock, secrets }: IdentityDeps,
  tx: Tx,
  { user, factor }: Holder & { factor: LockedFactor },
  code: string,
): Promise<void> {
  const secret = await secrets.open(tx, factor.secret, factorOwner(user.id, factor.id));
  const steps = stepsOf(secret, code, clock.now());
  if (steps.length === 0) throw wrongCode();
  for (const step of steps) if (await takeStep(tx, factor.id, step)) return;
  throw usedCode();
}

async function takeRecovery(
  { ids, clock }: IdentityDeps,
  tx: Tx,
  { user, tenant, factor }: Holder & { factor: LockedFactor },
  { code, address }: { code: string; address: string },
): Promise<void> {
  if (!(await takeRecoveryCode(tx, factor.id, recoveryCodeHash(factor.id, code)))) throw wrongCode();
  const after = { email: user.email, recoveryCodesLeft: await countRecoveryCodes(tx, factor.id) };
  const by = { tenantId: tenant.id, actor: `user:${user.id}`, address };
  await recordAct(tx, by, { act: "user.use-recovery-code", target: user.id, after }, { ids, now: clock.now() });
}
