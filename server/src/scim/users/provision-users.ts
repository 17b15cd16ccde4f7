import {
  addUser,
  changeLocked,
  lockAdministered,
  removeLocked,
  requireMayAdminister,
  setContact,
  tenantOfAddress,
} from "../../access/access.ts";
import { administer, type Changed } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { records } from "../../lib/limits/records.ts";
import { notFound } from "../../lib/request-errors.ts";
import { type ScimDeps, scimBase } from "../deps.ts";
import { type Document, readDocument } from "../protocol/attributes.ts";
import { applyPatch } from "../protocol/patch.ts";
import { ScimRefusal } from "../protocol/refusal.ts";
import { USER_ATTRIBUTES } from "../protocol/schemas.ts";
import { type Provisioner, rightsOf } from "../provisioner.ts";
import { type Listed, type ListQuery, type Resource, requireVersion } from "../resource.ts";
import { type Account, accountOf, documentOf, userResource } from "./user-resource.ts";
import { findUserRow, forgetUser, listUserRows, writeUser } from "./user-store.ts";

const MOST_VALUES = records.scimValues.value;
/** The role of a user in whose groups none has a role. */
const LEAST_ROLE = "viewer";

export async function listUsers(deps: ScimDeps, { tenantId }: Provisioner, query: ListQuery): Promise<Listed> {
  const { rows, total } = await listUserRows(deps.database.db, tenantId, query);
  return { totalResults: total, resources: rows.map((row) => userResource(row, scimBase(deps))) };
}

/** @throws MusterError not_found */
export async function getUser(deps: ScimDeps, { tenantId }: Provisioner, id: string): Promise<Resource> {
  const row = await findUserRow(deps.database.db, tenantId, id);
  if (!row) throw notFound("user");
  return userResource(row, scimBase(deps));
}

/**
 * Creates a user without a password: it signs in at the provider, or chooses one with a reset link.
 *
 * @throws ScimRefusal invalidSyntax, invalidValue, uniqueness; MusterError already_exists, quota_exceeded
 */
export async function createUser(deps: ScimDeps, by: Provisioner, body: unknown): Promise<Resource> {
  const document = readDocument(USER_ATTRIBUTES, body, MOST_VALUES);
  const { email, name, status } = accountOf(document);
  return await administer(deps, by, "user.create", async (tx) => {
    await requireDomain(tx, by, email);
    const user = { tenantId: by.tenantId, email, role: LEAST_ROLE, passwordHash: "", drawn: false } as const;
    const id = await addUser(deps, tx, user);
    if (name !== null) await setContact(tx, id, { email, name });
    await writeUser(tx, { tenantId: by.tenantId, id, document, now: deps.clock.now() });
    if (status === "deactivated") {
      const locked = await lockAdministered(tx, rightsOf(by), id);
      await changeLocked(deps, tx, by, locked, { status });
    }
    const after = { email, role: LEAST_ROLE, status, userName: document.userName };
    return { target: id, after, result: await shown(deps, tx, by, id) };
  });
}

/** @throws ScimRefusal invalidSyntax, invalidValue, uniqueness; MusterError as {@link write} */
export async function replaceUser(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { body, ifMatch }: { body: unknown; ifMatch?: string | undefined },
): Promise<Resource> {
  const document = readDocument(USER_ATTRIBUTES, body, MOST_VALUES);
  return await write(deps, by, id, { ifMatch, written: () => document });
}

/** @throws ScimRefusal; MusterError as {@link write} */
export async function patchUser(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { body, ifMatch }: { body: unknown; ifMatch?: string | undefined },
): Promise<Resource> {
  const written = (document: Document) => applyPatch(USER_ATTRIBUTES, document, body, MOST_VALUES);
  return await write(deps, by, id, { ifMatch, written });
}

/** Deletes a user; sessions, streams and keys end. @throws MusterError as {@link write} */
export async function deleteUser(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { ifMatch }: { ifMatch?: string | undefined },
): Promise<void> {
  await administer(deps, by, "user.delete", async (tx) => {
    const locked = await lockAdministered(tx, rightsOf(by), id);
    requireMayAdminister(rightsOf(by), locked.user);
    requireVersion(await shown(deps, tx, by, id), ifMatch);
    await forgetUser(tx, id);
    return await removeLocked(deps, tx, by, locked);
  });
}

/**
 * Writes a user under the lock of its row. A deactivation ends sessions, streams and keys.
 *
 * @throws MusterError not_found, precondition_failed, already_exists, last_admin, insufficient_role (a user who runs
 * the installation)
 */
async function write(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { ifMatch, written }: { ifMatch: string | undefined; written: (document: Document) => Document },
): Promise<Resource> {
  return await administer(deps, by, "user.update", async (tx): Promise<Changed<Resource>> => {
    const caller = rightsOf(by);
    const locked = await lockAdministered(tx, caller, id);
    const row = (await findUserRow(tx, by.tenantId, id))!;
    requireVersion(userResource(row, scimBase(deps)), ifMatch);
    const former = documentOf(row);
    const document = written(former);
    const account = accountOf(document);
    const before: Account = { email: row.email, name: row.name, status: row.status };
    const changes = account.email !== before.email || account.status !== before.status;
    if (changes) requireMayAdminister(caller, locked.user);
    if (account.email !== before.email) await requireDomain(tx, by, account.email);
    const { status } = account;
    const changed = status === before.status ? {} : await changeLocked(deps, tx, by, locked, { status });
    if (account.email !== before.email || account.name !== before.name) await setContact(tx, id, account);
    await writeUser(tx, { tenantId: by.tenantId, id, document, now: deps.clock.now() });
    const { revokedKeys } = ("after" in changed ? changed.after : {}) as { revokedKeys?: string[] };
    return {
      target: id,
      before: { ...before, userName: former.userName },
      after: { ...account, userName: document.userName, ...(revokedKeys && { revokedKeys }) },
      result: await shown(deps, tx, by, id),
    };
  });
}

/** An address is one user's in the whole installation: no tenant takes those of another's domains. */
async function requireDomain(tx: Tx, { tenantId }: Provisioner, email: string): Promise<void> {
  const owner = await tenantOfAddress(tx, email);
  if (owner !== undefined && owner !== tenantId)
    throw new ScimRefusal("invalidValue", "The domain of this e-mail address is assigned to another tenant.");
}

async function shown(deps: ScimDeps, tx: Tx, { tenantId }: Provisioner, id: string): Promise<Resource> {
  return userResource((await findUserRow(tx, tenantId, id))!, scimBase(deps));
}
