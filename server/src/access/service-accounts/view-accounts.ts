import { addMs, DAY } from "../../lib/clock.ts";
import type { Page, PageRequest } from "../../lib/page.ts";
import { notFound } from "../../lib/request-errors.ts";
import type { Role } from "../caller.ts";
import type { AccessDeps } from "../deps.ts";
import {
  type AccountProblems,
  type AccountRow,
  countAccountProblems,
  findAccount,
  listAccountRows,
} from "../service-account-store.ts";
import { useCase } from "../use-case.ts";

/** A user that cannot sign in, for a program: the owner of API keys. */
export interface ServiceAccount {
  id: string;
  name: string;
  role: Role;
  status: "active" | "deactivated";
  /** The groups whose devices an account that is no admin sees. */
  groupIds: string[];
  /** The person to contact; `active` is false when the person is gone. */
  contact: { id: string; email: string; active: boolean };
  createdAt: Date;
  endsAt: Date;
  /** The networks from which its keys are admitted, in CIDR notation; empty for any. */
  addressRanges: string[];
}

/** Lists the tenant's service accounts by name. */
export const listServiceAccounts = useCase(
  { role: "admin" },
  async ({ database }: AccessDeps, { tenantId }, page: PageRequest): Promise<Page<ServiceAccount>> => {
    const rows = await listAccountRows(database.db, tenantId, page);
    return { ...rows, items: rows.items.map(toAccount) };
  },
);

/** Returns a service account by its id or name. @throws MusterError not_found */
export const getServiceAccount = useCase(
  { role: "admin" },
  async ({ database }: AccessDeps, { tenantId }, of: string): Promise<ServiceAccount> => {
    const row = await findAccount(database.db, tenantId, of);
    if (!row) throw notFound("service account");
    return toAccount(row);
  },
);

const SOON_DAYS = 30;

/** Counts the active service accounts whose contact is gone, and those that end soon. */
export const countServiceAccountProblems = useCase(
  { role: "admin" },
  async ({ database, clock }: AccessDeps, { tenantId }): Promise<AccountProblems> =>
    await countAccountProblems(database.db, tenantId, addMs(clock.now(), SOON_DAYS * DAY)),
);

export function toAccount(row: AccountRow): ServiceAccount {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    status: row.status,
    groupIds: row.group_ids,
    contact: { id: row.contact_id, email: row.contact_email, active: row.contact_active },
    createdAt: row.created_at,
    endsAt: row.ends_at,
    addressRanges: row.address_ranges,
  };
}
