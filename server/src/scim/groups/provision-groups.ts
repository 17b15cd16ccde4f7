import { administer } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { records } from "../../lib/limits/records.ts";
import { notFound } from "../../lib/request-errors.ts";
import { type ScimDeps, scimBase } from "../deps.ts";
import { type Document, readDocument } from "../protocol/attributes.ts";
import { applyPatch } from "../protocol/patch.ts";
import { ScimRefusal } from "../protocol/refusal.ts";
import { GROUP_ATTRIBUTES, GROUP_SCHEMA } from "../protocol/schemas.ts";
import type { Provisioner } from "../provisioner.ts";
import { type Listed, type ListQuery, type Resource, requireVersion, withMeta } from "../resource.ts";
import { withMapping } from "./apply-mapping.ts";
import {
  countGroups,
  deleteGroupRow,
  findGroupRow,
  type GroupRow,
  listGroupRows,
  lockGroup,
  setGroupMembers,
  writeGroup,
} from "./group-store.ts";

const MOST_MEMBERS = records.scimMembers.value;
const MOST_GROUPS = records.scimGroups.value;

export async function listGroups(deps: ScimDeps, { tenantId }: Provisioner, query: ListQuery): Promise<Listed> {
  const { rows, total } = await listGroupRows(deps.database.db, tenantId, query);
  return { totalResults: total, resources: rows.map((row) => groupResource(row, scimBase(deps))) };
}

/** @throws MusterError not_found */
export async function getGroup(deps: ScimDeps, { tenantId }: Provisioner, id: string): Promise<Resource> {
  const row = await findGroupRow(deps.database.db, tenantId, id);
  if (!row) throw notFound("group");
  return groupResource(row, scimBase(deps));
}

/** @throws ScimRefusal invalidSyntax, invalidValue, tooMany, uniqueness */
export async function createGroup(deps: ScimDeps, by: Provisioner, body: unknown): Promise<Resource> {
  const document = readDocument(GROUP_ATTRIBUTES, body, MOST_MEMBERS);
  const id = deps.ids.uuid(deps.clock.now());
  return await administer(deps, by, "scim-group.create", async (tx) => {
    if ((await countGroups(tx, by.tenantId)) >= MOST_GROUPS)
      throw new ScimRefusal("tooMany", `A tenant has at most ${MOST_GROUPS} groups of its provider.`);
    await write(deps, tx, by, id, document);
    const { displayName, members = [] } = document;
    const after = { displayName, members: (members as unknown[]).length };
    return { target: id, after, result: await shown(deps, tx, by, id) };
  });
}

export interface GroupWrite {
  body: unknown;
  ifMatch?: string | undefined;
}

/** @throws ScimRefusal invalidSyntax, invalidValue, tooMany, uniqueness; MusterError not_found, precondition_failed */
export async function replaceGroup(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { body, ifMatch }: GroupWrite,
): Promise<Resource> {
  const document = readDocument(GROUP_ATTRIBUTES, body, MOST_MEMBERS);
  return await change(deps, by, id, { ifMatch, written: () => document });
}

/** @throws ScimRefusal; MusterError not_found, precondition_failed */
export async function patchGroup(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { body, ifMatch }: GroupWrite,
): Promise<Resource> {
  const written = (document: Document) => applyPatch(GROUP_ATTRIBUTES, document, body, MOST_MEMBERS);
  return await change(deps, by, id, { ifMatch, written });
}

/** Deletes a group; its members lose what it stood for. @throws MusterError not_found, precondition_failed */
export async function deleteGroup(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { ifMatch }: { ifMatch?: string | undefined },
): Promise<void> {
  await administer(deps, by, "scim-group.delete", async (tx) => {
    const row = await locked(deps, tx, by, id, ifMatch);
    await withMapping(
      deps,
      tx,
      by,
      async () => (await findGroupRow(tx, by.tenantId, id))?.members ?? [],
      () => deleteGroupRow(tx, by.tenantId, id),
    );
    return { target: id, before: stateOf(row), result: undefined };
  });
}

async function change(
  deps: ScimDeps,
  by: Provisioner,
  id: string,
  { ifMatch, written }: { ifMatch: string | undefined; written: (document: Document) => Document },
): Promise<Resource> {
  return await administer(deps, by, "scim-group.update", async (tx) => {
    const row = await locked(deps, tx, by, id, ifMatch);
    await write(deps, tx, by, id, written(documentOf(row, scimBase(deps))));
    const now = (await findGroupRow(tx, by.tenantId, id))!;
    const added = without(now.members, row.members).slice(0, MOST_NAMED);
    const removed = without(row.members, now.members).slice(0, MOST_NAMED);
    const after = { ...stateOf(now), added, removed };
    return { target: id, before: stateOf(row), after, result: groupResource(now, scimBase(deps)) };
  });
}

function without(ids: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others);
  return ids.filter((id) => !known.has(id));
}

/** The most members that an audit entry names. */
const MOST_NAMED = 50;

const stateOf = ({ display_name, members }: GroupRow) => ({ displayName: display_name, members: members.length });

async function locked(deps: ScimDeps, tx: Tx, by: Provisioner, id: string, ifMatch?: string): Promise<GroupRow> {
  if (!(await lockGroup(tx, by.tenantId, id))) throw notFound("group");
  const row = (await findGroupRow(tx, by.tenantId, id))!;
  requireVersion(groupResource(row, scimBase(deps)), ifMatch);
  return row;
}

async function write(deps: ScimDeps, tx: Tx, by: Provisioner, id: string, document: Document): Promise<void> {
  const { displayName, externalId = null, members = [] } = document;
  if (typeof displayName !== "string" || displayName.trim() === "")
    throw new ScimRefusal("invalidValue", "A group needs a displayName.");
  const userIds = [...new Set((members as { value?: string }[]).map(({ value = "" }) => value))];
  const { tenantId } = by;
  const concerned = async () => (await findGroupRow(tx, tenantId, id))?.members ?? [];
  await withMapping(deps, tx, by, concerned, async () => {
    const group = { tenantId, id, displayName, externalId: externalId as string | null, now: deps.clock.now() };
    await writeGroup(tx, group);
    const [unknown] = await setGroupMembers(tx, tenantId, id, userIds);
    if (unknown !== undefined) throw new ScimRefusal("invalidValue", `There is no user ${unknown.slice(0, 100)}.`);
  });
}

function documentOf({ display_name, external_id, members }: GroupRow, base: string): Document {
  return {
    displayName: display_name,
    ...(external_id !== null && { externalId: external_id }),
    ...(members.length > 0 && { members: members.map((value) => ({ value, $ref: `${base}/Users/${value}` })) }),
  };
}

function groupResource(row: GroupRow, base: string): Resource {
  const content = { schemas: [GROUP_SCHEMA], id: row.id, ...documentOf(row, base) };
  return withMeta(content, { kind: "Group", base, created: row.created_at, modified: row.modified_at });
}

async function shown(deps: ScimDeps, tx: Tx, { tenantId }: Provisioner, id: string): Promise<Resource> {
  return groupResource((await findGroupRow(tx, tenantId, id))!, scimBase(deps));
}
