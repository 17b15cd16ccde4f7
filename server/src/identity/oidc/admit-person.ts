import {
  addUser,
  applyRole,
  checkEmail,
  lockAdmins,
  lockUserById,
  type Role,
  tenantOfAddress,
  type UserDetails,
} from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { setManagedGroups } from "../../groups/groups.ts";
import type { IdentityDeps } from "../deps.ts";
import { takeInvite } from "../links/link-store.ts";
import type { Person } from "./exchange.ts";
import { findByEmail, findIdentity, findLinkedUser, linkUser, type Subject } from "./identity-store.ts";
import { claimOf, type Grant, grantOf } from "./mapping.ts";
import { signInRefused } from "./oidc-errors.ts";
import type { ProviderRow } from "./provider-store.ts";

type Deps = Pick<IdentityDeps, "ids" | "clock" | "quotas">;

interface Arrival {
  provider: ProviderRow;
  person: Person;
  /** The address of the browser, for the audit. */
  address: string;
}

/** The value that stands for the hash of an account without a password; no password matches it. */
const NO_PASSWORD = "";

/**
 * Returns the user as whom a person signs in, and applies the mapping. A user is identified by issuer and subject; the
 * e-mail address is used only to link a user at the first sign-in. The user's row stays locked.
 *
 * @throws MusterError sign_in_refused; already_exists when another request creates the same user; quota_exceeded
 */
export async function admitPerson(deps: Deps, tx: Tx, arrival: Arrival): Promise<string> {
  const { provider, person } = arrival;
  const { tenant_id: tenantId, mapping, mapping_claim: claim } = provider;
  await lockAdmins(tx, tenantId);
  const grant = claim === null ? undefined : grantOf(mapping, claimOf(person.claims, claim));
  const subject = { tenantId, issuer: person.issuer, subject: person.subject };
  const linkedId = await findLinkedUser(tx, subject);
  const user = await (linkedId === undefined
    ? firstSignIn(deps, tx, arrival, { subject, grant })
    : lockUserById(tx, tenantId, linkedId));
  if (user?.status !== "active") throw signInRefused("deactivated");
  if (user.platform && !provider.by_operator) throw signInRefused("runs_installation");
  if (grant) await apply(deps, tx, { arrival, user, grant });
  return user.id;
}

interface First {
  subject: Subject;
  grant: Grant | undefined;
}

async function firstSignIn(deps: Deps, tx: Tx, arrival: Arrival, { subject, grant }: First): Promise<UserDetails> {
  const { person, provider } = arrival;
  if (person.email === undefined) throw signInRefused("no_email");
  const email = checkEmail(person.email);
  const known = await findByEmail(tx, email);
  if (known && known.tenantId !== provider.tenant_id) return await refuseUserOfOtherTenant(tx, arrival, email);
  const user = known ? await lockLinkable(tx, arrival, known.id) : await create(deps, tx, arrival, { email, grant });
  const now = deps.clock.now();
  await linkUser(tx, user.id, subject, now);
  const act = { act: "user.link-provider", target: user.id, after: { email, issuer: subject.issuer } };
  await record(deps, tx, { ...arrival, userId: user.id, tenantId: provider.tenant_id }, act);
  return user;
}

/**
 * Refuses a person whose address belongs to another tenant's user. Outside the tenant's own domains the answer is the
 * same as for an unknown address. Otherwise a provider, which can claim any address, would learn who has an account.
 */
async function refuseUserOfOtherTenant(tx: Tx, { person, provider }: Arrival, email: string): Promise<never> {
  if ((await tenantOfAddress(tx, email)) === provider.tenant_id) throw signInRefused("other_tenant");
  if (provider.first_sign_in === "refused") throw signInRefused("no_account");
  if (provider.first_sign_in === "mapped") throw signInRefused("foreign_domain");
  throw signInRefused(person.emailVerified === true ? "not_invited" : "unverified_email");
}

/** Locks a user of the tenant whom a first sign-in may link: never one with another account at the provider. */
async function lockLinkable(tx: Tx, { person, provider }: Arrival, id: string): Promise<UserDetails> {
  const user = await lockUserById(tx, provider.tenant_id, id);
  if (!user) throw signInRefused("deactivated");
  if (person.emailVerified !== true) throw signInRefused("unverified_email");
  if ((await findIdentity(tx, id))?.issuer === person.issuer) throw signInRefused("other_account");
  if (user.status !== "active") throw signInRefused("deactivated");
  return user;
}

async function create(
  deps: Deps,
  tx: Tx,
  { person, provider, address }: Arrival,
  { email, grant }: { email: string; grant: Grant | undefined },
): Promise<UserDetails> {
  const { tenant_id: tenantId, first_sign_in: first } = provider;
  if (first === "refused") throw signInRefused("no_account");
  if (first === "mapped") await requireOwnDomain(tx, tenantId, email, person);
  else if (person.emailVerified !== true) throw signInRefused("unverified_email");
  const invite = first === "invited" ? await takeInvite(tx, tenantId, email, deps.clock.now()) : undefined;
  if (first === "invited" && !invite) throw signInRefused("not_invited");
  const role: Role | undefined = invite?.role ?? grant?.role;
  if (role === undefined) throw signInRefused("no_role");
  const id = await addUser(deps, tx, { tenantId, email, role, passwordHash: NO_PASSWORD, drawn: false });
  const wanted = new Set([...(invite?.group_ids ?? []), ...(grant?.groupIds ?? [])]);
  const { joined } = await setManagedGroups(tx, tenantId, id, { managed: [], wanted }, deps.clock.now());
  const after = { email, role, groupIds: joined, ...(invite ? { invitedBy: invite.created_by } : {}) };
  await record(deps, tx, { userId: id, tenantId, address }, { act: "user.create", target: id, after });
  return (await lockUserById(tx, tenantId, id))!;
}

/** Whoever runs the installation vouches for a tenant's domains: elsewhere a provider could claim any address. */
async function requireOwnDomain(tx: Tx, tenantId: string, email: string, { emailVerified }: Person): Promise<void> {
  if ((await tenantOfAddress(tx, email)) !== tenantId) throw signInRefused("foreign_domain");
  if (emailVerified === false) throw signInRefused("unverified_email");
}

/** Applies the mapping to role and groups. Only groups that the mapping names are taken away. */
async function apply(
  deps: Deps,
  tx: Tx,
  { arrival, user, grant }: { arrival: Arrival; user: UserDetails; grant: Grant },
): Promise<void> {
  const { tenant_id: tenantId, mapping } = arrival.provider;
  const role = grant.role === undefined ? undefined : await applyRole(tx, user, grant.role);
  if (role === undefined && !user.platform) throw signInRefused("no_role");
  const managed = [...new Set(mapping.flatMap(({ groupIds }) => groupIds))];
  const groups = { managed, wanted: grant.groupIds };
  const { joined, left } = await setManagedGroups(tx, tenantId, user.id, groups, deps.clock.now());
  if ((role === undefined || role === user.role) && joined.length + left.length === 0) return;
  const [before, after] = [
    { email: user.email, role: user.role },
    { email: user.email, role, joined, left },
  ];
  await record(
    deps,
    tx,
    { ...arrival, userId: user.id, tenantId },
    { act: "user.map", target: user.id, before, after },
  );
}

async function record(
  { ids, clock }: Deps,
  tx: Tx,
  { tenantId, userId, address }: { tenantId: string; userId: string; address: string },
  act: Parameters<typeof recordAct>[2],
): Promise<void> {
  await recordAct(tx, { tenantId, actor: `user:${userId}`, address }, act, { ids, now: clock.now() });
}
