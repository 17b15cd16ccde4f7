import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { inTransaction } from "../../db/transaction.ts";
import { canonicalRange } from "../../lib/address.ts";
import { addMs, DAY } from "../../lib/clock.ts";
import { isUuid } from "../../lib/ids.ts";
import { records } from "../../lib/limits/records.ts";
import { invalidRequest, notFound } from "../../lib/request-errors.ts";
import { plainLine } from "../../lib/text.ts";
import { adminUseCase, type PreparedChange } from "../admin-use-case.ts";
import { type Caller, type Role, userIdOf } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import { revokeKeysOf } from "../keys/key-store.ts";
import {
  type AccountFields,
  type AccountRow,
  findEndedAccounts,
  insertAccount,
  lockAccount,
  updateAccount,
} from "../service-account-store.ts";
import { lockUserById, markDeleted } from "../user-store.ts";

type AccountDeps = Pick<AccessDeps, "clock" | "ids" | "quotas">;

const MOST_RANGES = records.rangesOfServiceAccount.value;
const MOST_DAYS = records.daysOfServiceAccount.value;

export interface NewServiceAccount {
  /** Unique among the service accounts of the tenant. */
  name: string;
  role: Role;
  /** The person to contact. The default is the calling user. */
  contactUserId?: string | undefined;
  /** Days until the account ends, 1 to 400. */
  expiresInDays: number;
  /** The addresses and networks, in CIDR notation, from which its keys are admitted; empty for any. */
  addressRanges?: readonly string[] | undefined;
}

export interface ServiceAccountChange
  extends Partial<{ [Field in keyof NewServiceAccount]: NewServiceAccount[Field] | undefined }> {
  status?: "active" | "deactivated" | undefined;
}

/** An account as it was, and as it is now, with the fields that the audit has. */
export interface ChangedAccount {
  id: string;
  before: AuditedFields;
  after: AuditedFields;
  /** The keys that the change revoked. */
  revokedKeys: string[];
}

/**
 * Adds a user that cannot sign in, for a program. It lives on when its creator leaves.
 *
 * @throws MusterError invalid_request (name, contact in `detail`, days, range in `detail`), already_exists (name),
 * quota_exceeded
 */
export async function addAccount(
  tx: Tx,
  deps: AccountDeps,
  caller: Caller,
  input: NewServiceAccount,
): Promise<Pick<ChangedAccount, "id" | "after">> {
  const { tenantId } = caller;
  await deps.quotas.within(tx, tenantId, "users", 1);
  const now = deps.clock.now();
  const fields: AccountFields = {
    name: plainLine("name", input.name),
    role: input.role,
    status: "active",
    contact_id: await requireContact(tx, tenantId, input.contactUserId ?? userIdOf(caller)),
    ends_at: endIn(input, now),
    address_ranges: checkRanges(input.addressRanges ?? []),
  };
  const id = deps.ids.uuid(now);
  await insertAccount(tx, { ...fields, id, tenantId, now });
  return { id, after: auditedFields(fields) };
}

/**
 * Changes an account that {@link lockAccount} has locked. A deactivation revokes its keys permanently.
 *
 * @throws MusterError invalid_request (name, contact in `detail`, days, range in `detail`), already_exists (name)
 */
export async function changeAccount(
  tx: Tx,
  { clock }: Pick<AccountDeps, "clock">,
  { tenantId, actor }: Caller,
  row: AccountRow,
  change: ServiceAccountChange,
): Promise<ChangedAccount> {
  const { contactUserId, expiresInDays, addressRanges } = change;
  const now = clock.now();
  const fields: AccountFields = {
    name: change.name === undefined ? row.name : plainLine("name", change.name),
    role: change.role ?? row.role,
    status: change.status ?? row.status,
    contact_id: contactUserId === undefined ? row.contact_id : await requireContact(tx, tenantId, contactUserId),
    ends_at: expiresInDays === undefined ? row.ends_at : endIn({ expiresInDays }, now),
    address_ranges: addressRanges === undefined ? row.address_ranges : checkRanges(addressRanges),
  };
  if (fields.status === "active" && row.status !== "active" && fields.ends_at <= now)
    throw invalidRequest("The account has ended. Postpone its end as well.", "expiresInDays");
  await updateAccount(tx, row.id, fields);
  const ends = fields.status === "deactivated" && row.status === "active";
  const revokedKeys = ends ? await revokeKeysOf(tx, row.id, "creator_deactivated", actor, now) : [];
  return { id: row.id, before: auditedFields(row), after: auditedFields(fields), revokedKeys };
}

/** Deletes a service account and revokes its keys. Its name is free again. @throws MusterError not_found */
export const deleteServiceAccount = adminUseCase(
  { role: "admin" },
  "service-account.delete",
  async (deps: AccessDeps, { tenantId, actor }, of: string): Promise<PreparedChange<void>> => ({
    change: async (tx) => {
      const row = await lockAccount(tx, tenantId, of);
      if (!row) throw notFound("service account");
      const now = deps.clock.now();
      await markDeleted(tx, row.id, now);
      const revokedKeys = await revokeKeysOf(tx, row.id, "creator_deleted", actor, now);
      const [before, after] = [auditedFields(row), { status: "deleted", revokedKeys }];
      return { target: row.id, before, after, result: undefined };
    },
  }),
);

/** Deactivates the service accounts whose end has come; their keys have been refused since then. */
export async function endAccounts(deps: Pick<AccessDeps, "database" | "clock" | "ids">): Promise<void> {
  const now = deps.clock.now();
  for (const { id, tenantId } of await findEndedAccounts(deps.database.db, now))
    await inTransaction(deps.database.db, async (tx) => {
      const row = await lockAccount(tx, tenantId, id);
      if (row?.status !== "active" || row.ends_at > now) return;
      await updateAccount(tx, id, { ...row, status: "deactivated" });
      const [by, before] = [{ tenantId, actor: "system" }, auditedFields(row)];
      const revokedKeys = await revokeKeysOf(tx, id, "creator_deactivated", by.actor, now);
      const after = { ...before, status: "deactivated", revokedKeys };
      await recordAct(tx, by, { act: "service-account.end", target: id, before, after }, { ids: deps.ids, now });
    });
}

function endIn({ expiresInDays: days }: Pick<NewServiceAccount, "expiresInDays">, now: Date): Date {
  if (!(Number.isInteger(days) && days >= 1 && days <= MOST_DAYS))
    throw invalidRequest(`expiresInDays must be a whole number from 1 to ${MOST_DAYS}`, "expiresInDays");
  return addMs(now, days * DAY);
}

function checkRanges(ranges: readonly string[]): string[] {
  if (ranges.length > MOST_RANGES) throw invalidRequest(`addressRanges has at most ${MOST_RANGES}`, "addressRanges");
  return [
    ...new Set(
      ranges.map((range) => {
        const known = canonicalRange(range.trim());
        if (known === undefined) throw invalidRequest("This is neither an address nor a range like 10.0.0.0/8.", range);
        return known;
      }),
    ),
  ];
}

/** Returns the id of a person, who stays active until the transaction ends. */
async function requireContact(tx: Tx, tenantId: string, id: string | null): Promise<string> {
  if (id === null) throw invalidRequest("Name the person to contact.", "contactUserId");
  const user = isUuid(id) ? await lockUserById(tx, tenantId, id) : undefined;
  if (user?.status !== "active") throw invalidRequest("The contact must be an active user of the tenant.", id);
  return user.id;
}

type AuditedFields = ReturnType<typeof auditedFields>;

function auditedFields({ name, role, status, contact_id, ends_at, address_ranges }: AccountFields) {
  return { name, role, status, contact: contact_id, endsAt: ends_at, addressRanges: address_ranges };
}
