import { type Bound, bind } from "../access/access.ts";
import type { IdentityDeps } from "./deps.ts";
import { createFollowedSessions, type FollowedSessions } from "./followed-sessions.ts";
import { createHashGate } from "./hash-gate.ts";
import { signIn } from "./sign-in.ts";
import { prune, signOut, useSession } from "./use-session.ts";

export { callerOf, type NewSession, type Session, type Visit } from "./session.ts";

/** For people who are not signed in, and for the sessions of those who are. */
export const identityServices = { signIn, useSession, signOut, prune };

/** People: how they sign in, and their sessions. */
export interface Identity extends Bound<typeof identityServices>, FollowedSessions {}

export function createIdentity(process: Omit<IdentityDeps, "hashGate">): Identity {
  const { passwordHashes: atOnce, waitingPasswordHashes: waiting } = process.limits;
  const deps = { ...process, hashGate: createHashGate({ atOnce, waiting }) };
  return { ...bind(deps, identityServices), ...createFollowedSessions(deps) };
}
