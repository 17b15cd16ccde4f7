import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import type { IdentityDeps } from "../deps.ts";
import type { Session } from "../session.ts";

/** An event of a session, as the administrative audit names it. */
export interface SessionEvent {
  act: "session.begin" | "session.end" | "session.end-others" | "session.step-up";
  address: string;
  /** Further fields of the entry, never a secret. */
  more?: object;
}

/** Records an event of a session in its transaction. The target is the user. */
export async function recordSession(
  { ids, clock }: Pick<IdentityDeps, "ids" | "clock">,
  tx: Tx,
  { id, user, tenant }: Pick<Session, "id" | "user" | "tenant">,
  { act, address, more }: SessionEvent,
): Promise<void> {
  const by = { tenantId: tenant.id, actor: `user:${user.id}`, address };
  const after = { email: user.email, sessionId: id, ...more };
  await recordAct(tx, by, { act, target: user.id, after }, { ids, now: clock.now() });
}
