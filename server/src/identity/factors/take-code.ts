import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import type { IdentityDeps } from "../deps.ts";
import { usedCode, wrongCode } from "../errors.ts";
import type { Session } from "../session.ts";
import {
  countRecoveryCodes,
  factorOwner,
  listFactorIds,
  lockFactor,
  takeRecoveryCode,
  takeStep,
} from "./factor-store.ts";
import { normalizeRecoveryCode, recoveryCodeHash } from "./recovery-codes.ts";
import { stepsOf } from "./totp.ts";

type Holder = Pick<Session, "user" | "tenant">;

/**
 * Consumes a code of the user's authenticator app, or a recovery code, in the transaction of the work it admits. Only
 * one of two requests with the same code succeeds, in whichever processes they run.
 *
 * @param address the origin of the request, for the audit of a recovery code
 * @returns the id of the factor that counts as given
 * @throws MusterError invalid_credentials
 */
export async function takeCode(
  deps: IdentityDeps,
  tx: Tx,
  holder: Holder,
  { code, address }: { code: string; address: string },
): Promise<string> {
  if (normalizeRecoveryCode(code) === undefined) return await takeTimeCode(deps, tx, holder, code);
  return await takeRecovery(deps, tx, holder, { code, address });
}

async function takeTimeCode({ clock, secrets }: IdentityDeps, tx: Tx, { user }: Holder, code: string): Promise<string> {
  const factor = await lockFactor(tx, user.id, "confirmed");
  if (!factor) throw wrongCode();
  const secret = await secrets.open(tx, factor.secret, factorOwner(user.id, factor.id));
  const steps = stepsOf(secret, code, clock.now());
  if (steps.length === 0) throw wrongCode();
  for (const step of steps) if (await takeStep(tx, factor.id, step)) return factor.id;
  throw usedCode();
}

async function takeRecovery(
  { ids, clock }: IdentityDeps,
  tx: Tx,
  { user, tenant }: Holder,
  { code, address }: { code: string; address: string },
): Promise<string> {
  const [factorId] = await listFactorIds(tx, user.id);
  if (factorId === undefined || !(await takeRecoveryCode(tx, user.id, recoveryCodeHash(user.id, code))))
    throw wrongCode();
  const after = { email: user.email, recoveryCodesLeft: await countRecoveryCodes(tx, user.id) };
  const by = { tenantId: tenant.id, actor: `user:${user.id}`, address };
  await recordAct(tx, by, { act: "user.use-recovery-code", target: user.id, after }, { ids, now: clock.now() });
  return factorId;
}
