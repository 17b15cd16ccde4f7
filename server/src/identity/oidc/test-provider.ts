import { adminUseCase, type PreparedChange, sessionIdOf, useCase } from "../../access/access.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { claimOf, grantOf } from "./mapping.ts";
import { flowExpired } from "./oidc-errors.ts";
import { findProvider, recordTest } from "./provider-store.ts";
import { type BegunFlow, type BroughtAnswer, begin, takeFlow } from "./sign-in-at-provider.ts";

/** The claims that the provider sent about the admin who tested it. */
export interface TestedProvider {
  subject: string;
  email: string | null;
  /** Null if the provider does not say; then it cannot open accounts that exist. */
  emailVerified: boolean | null;
  /** The values of the mapped claim; null without a mapping, or if they are no text. */
  values: string[] | null;
  role: string | null;
}

/**
 * Begins a sign-in that only tests the provider of the caller's tenant.
 *
 * @throws MusterError not_found, provider_failed with the cause in `detail`, rate_limited
 */
export const startProviderTest = useCase({ role: "admin" }, async (deps: IdentityDeps, caller): Promise<BegunFlow> => {
  const row = await findProvider(deps.database.db, caller.tenantId);
  if (!row) throw notFound("provider");
  const sessionId = sessionIdOf(caller);
  return await begin(deps, row, { purpose: "test", ...(sessionId === undefined ? {} : { sessionId }) });
});

/**
 * Completes the test: the connection may be switched on.
 *
 * @throws MusterError sign_in_flow_expired, provider_failed with the cause in `detail`, rate_limited
 */
export const completeProviderTest = adminUseCase(
  { role: "admin" },
  "single-sign-on.test",
  async (deps: IdentityDeps, caller, answer: BroughtAnswer): Promise<PreparedChange<TestedProvider>> => {
    const { flow, row, person } = await takeFlow(deps, answer, "test");
    if (flow.tenantId !== caller.tenantId || flow.sessionId !== sessionIdOf(caller)) throw flowExpired();
    const claim = row.mapping_claim === null ? undefined : claimOf(person.claims, row.mapping_claim);
    const values = [claim].flat().filter((value) => typeof value === "string");
    const { subject, email = null, emailVerified = null } = person;
    const role = grantOf(row.mapping, claim).role ?? null;
    const result = { subject, email, emailVerified, values: claim === undefined ? null : values, role };
    return {
      change: async (tx) => {
        if (!(await recordTest(tx, caller.tenantId, row.connection_id, deps.clock.now()))) throw flowExpired();
        return { target: caller.tenantId, after: { issuer: row.issuer, subject, email }, result };
      },
    };
  },
);
