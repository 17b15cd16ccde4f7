import { findCredentials, verifyPassword } from "../access/access.ts";
import { inTransaction } from "../db/transaction.ts";
import type { IdentityDeps } from "./deps.ts";
import { invalidCredentials } from "./errors.ts";
import { openSession } from "./open-session.ts";
import type { NewSession, Visit } from "./session.ts";

/** Of no password: an unknown address costs as much as a known one. */
const NO_PASSWORD = "$argon2id$v=19$m=19456,t=2,p=1$bm8gcGFzc3dvcmQgaGFzaA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

export interface SignIn extends Visit {
  email: string;
  password: string;
}

/** Begins a session of the user with this address and password. @throws MusterError invalid_credentials, rate_limited */
export async function signIn(deps: IdentityDeps, { email, password, ...visit }: SignIn): Promise<NewSession> {
  const found = await findCredentials(deps.database.db, email.trim());
  const isRight = await deps.hashGate.run(() => verifyPassword(password, found?.passwordHash ?? NO_PASSWORD));
  if (!found || !isRight) throw invalidCredentials();
  return await inTransaction(deps.database.db, (tx) => openSession(deps, tx, found, visit));
}
