import {
  addUser,
  adminUseCase,
  type Caller,
  checkEmail,
  type PreparedChange,
  type Role,
  useCase,
} from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { joinAsMember, requireGroups } from "../../groups/groups.ts";
import { DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { invalidRequest, notFound, rateLimited } from "../../lib/request-errors.ts";
import type { IdentityDeps } from "../deps.ts";
import { openSession } from "../open-session.ts";
import { hashChosen } from "../password-rules.ts";
import type { SignedIn, Visit } from "../session.ts";
import { tenantName } from "../session-store.ts";
import { remembered } from "../sign-in.ts";
import { countedInvites, countIn } from "../throttle/throttle.ts";
import { countInvites, deleteInvite, isTaken, type LinkRow, listInviteRows } from "./link-store.ts";
import { makeLink, openLink, useLink } from "./links.ts";
import { inviteMail, sendSoon, takenMail } from "./mails.ts";

export interface Invite {
  id: string;
  email: string;
  role: Role;
  /** The groups that the user joins at the acceptance. */
  groupIds: string[];
  createdAt: Date;
  createdBy: string;
  expiresAt: Date;
}

/** An invitation with its link, which only this response shows. */
export interface NewInvite extends Invite {
  url: string;
  mailed: boolean;
}

export interface InviteInput {
  email: string;
  role: Role;
  groupIds?: readonly string[] | undefined;
}

/**
 * Invites a person: the link is mailed, and the admin can also pass it on. A later invitation of the same address
 * replaces it. The response is the same for an address that a user of any tenant has; only the mail says so, to its
 * reader.
 *
 * @throws MusterError invalid_request, with an unknown group in `detail`; quota_exceeded; rate_limited when the
 * mailbox or the tenant has reached its daily invitations
 */
export const inviteUser = adminUseCase(
  { scope: "users:write", role: "admin" },
  "invite.create",
  async (deps: IdentityDeps, caller, input: InviteInput): Promise<PreparedChange<NewInvite>> => {
    const email = checkEmail(input.email);
    const { database, clock, limits, quotas, mail } = deps;
    let made: { invite: NewInvite; isTaken: boolean } | undefined;
    return {
      change: async (tx) => {
        await quotas.within(tx, caller.tenantId, "users", 1);
        await countInvite(deps, tx, email, caller.tenantId);
        const groupIds = await requireGroups(tx, caller.tenantId, input.groupIds ?? []);
        const intended = { email, role: input.role, groupIds };
        const link = await makeLink(deps, tx, { ...of(caller), purpose: "invite", ...intended });
        if ((await countInvites(tx, caller.tenantId, clock.now())) > limits.invitesOfTenant)
          throw invalidRequest(`At most ${limits.invitesOfTenant} invitations can be open: withdraw one first.`);
        const invite = { ...link, ...intended, createdBy: caller.actor, mailed: mail.configured };
        made = { invite, isTaken: await isTaken(tx, email) };
        return { target: link.id, after: intended, result: invite };
      },
      committed: async () => {
        const name = await tenantName(database.db, caller.tenantId);
        if (made) sendSoon(deps, made.isTaken ? takenMail(deps, email, name) : inviteMail(email, name, made.invite));
      },
    };
  },
);

/**
 * Counts an invitation. The error for a mailbox does not depend on which tenants invited it.
 *
 * @throws MusterError rate_limited
 */
async function countInvite(deps: IdentityDeps, tx: Tx, email: string, tenantId: string): Promise<void> {
  const now = deps.clock.now();
  const [toMailbox, ofTenant] = countedInvites(deps, email, tenantId);
  if (!(await countIn(tx, toMailbox!, now)))
    throw rateLimited("No further invitation can be sent to this address today. Try again tomorrow.", DAY / 1_000);
  if (!(await countIn(tx, ofTenant!, now)))
    throw rateLimited("Your organization has sent many invitations today. Try again tomorrow.", DAY / 1_000);
}

function of({ tenantId, actor }: Caller) {
  return { tenantId, createdBy: actor };
}

/** Lists the tenant's open invitations, newest first. */
export const listInvites = useCase(
  { scope: "users:read", role: "admin" },
  async ({ database, clock }: IdentityDeps, caller, page: PageRequest): Promise<Page<Invite>> => {
    const rows = await listInviteRows(database.db, caller.tenantId, clock.now(), page);
    return { ...rows, items: rows.items.map(toInvite) };
  },
);

/** Withdraws an invitation, which invalidates its link. @throws MusterError not_found */
export const withdrawInvite = adminUseCase(
  { scope: "users:write", role: "admin" },
  "invite.delete",
  async (_deps: IdentityDeps, caller, id: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const row = isUuid(id) ? await deleteInvite(tx, caller.tenantId, id) : undefined;
      if (!row) throw notFound("invitation");
      return { target: id, before: { email: row.email, role: row.role }, result: undefined };
    },
  }),
);

/** The details shown to the person who opens an invitation link. */
export interface OpenedInvite extends Pick<Invite, "email" | "role" | "expiresAt"> {
  tenantName: string;
}

/** Returns the details of an invitation without changing anything. @throws MusterError link_expired */
export async function openInvite(deps: IdentityDeps, token: string): Promise<OpenedInvite> {
  const row = await openLink(deps, "invite", token);
  const { email, role, expiresAt } = toInvite(row);
  return { email, role, expiresAt, tenantName: await tenantName(deps.database.db, row.tenant_id!) };
}

/**
 * Creates the invited user with the password that they chose, and begins a session.
 *
 * @throws MusterError link_expired, invalid_request (password), already_exists, quota_exceeded, rate_limited
 */
export async function acceptInvite(
  deps: IdentityDeps,
  { token, password, ...visit }: { token: string; password: string } & Visit,
): Promise<SignedIn> {
  const { email } = await openLink(deps, "invite", token);
  const passwordHash = await hashChosen(deps, password, email!);
  const opened = await inTransaction(deps.database.db, async (tx) => {
    const row = await useLink(deps, tx, "invite", token);
    const [{ role, groupIds: named, createdBy }, tenantId] = [toInvite(row), row.tenant_id!];
    const userId = await addUser(deps, tx, { tenantId, email: row.email!, role, passwordHash, drawn: false });
    const groupIds = await joinAsMember(tx, tenantId, userId, named, deps.clock.now());
    const after = { email: row.email, role, groupIds, invitedBy: createdBy };
    const act = { act: "user.create", target: userId, after };
    await recordAct(tx, { tenantId, actor: `user:${userId}`, address: visit.address }, act, {
      ids: deps.ids,
      now: deps.clock.now(),
    });
    return await openSession(deps, tx, { userId, passwordHash }, visit);
  });
  return remembered(deps, opened);
}

function toInvite(row: LinkRow): Invite {
  return {
    id: row.id,
    email: row.email!,
    role: row.role!,
    groupIds: row.group_ids,
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
  };
}
