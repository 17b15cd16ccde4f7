import { changeLocked, lockAdministered, ROLES } from "../../access/access.ts";
import { recordAct } from "../../audit/audit.ts";
import type { Tx } from "../../db/database.ts";
import { joinAsMember, leaveAsMember } from "../../groups/groups.ts";
import { isMusterError } from "../../lib/errors.ts";
import type { ScimDeps } from "../deps.ts";
import { type Provisioner, rightsOf } from "../provisioner.ts";
import { documentOf } from "../users/user-resource.ts";
import { findUserRow, writeUser } from "../users/user-store.ts";
import { type Mapped, mappedOf, setRoleMapped } from "./mapping-store.ts";

/**
 * Runs a change of groups, and then gives their members the role and the groups of Muster that their groups at the
 * provider stand for. A user without such a role keeps the present one, or gets the least one if it came from the
 * provider. A mapping never demotes the last admin or a user who runs the installation.
 *
 * @param concerned returns the users whose groups change, before and after the change
 */
export async function withMapping<T>(
  deps: ScimDeps,
  tx: Tx,
  by: Provisioner,
  concerned: () => Promise<string[]>,
  change: () => Promise<T>,
): Promise<T> {
  const before = await mappedOf(tx, await concerned());
  const result = await change();
  const after = await mappedOf(tx, [...new Set([...before.map(({ userId }) => userId), ...(await concerned())])]);
  for (const mapped of after) {
    await applyRole(deps, tx, by, mapped);
    const former = before.find(({ userId }) => userId === mapped.userId)?.groupIds ?? [];
    await applyGroups(deps, tx, by, mapped, former);
  }
  return result;
}

async function applyRole(
  deps: ScimDeps,
  tx: Tx,
  by: Provisioner,
  { userId, roles, roleMapped }: Mapped,
): Promise<void> {
  const wanted = ROLES.find((role) => roles.includes(role)) ?? (roleMapped ? "viewer" : undefined);
  if (wanted === undefined) return;
  const locked = await lockAdministered(tx, rightsOf(by), userId);
  if (locked.user.role !== wanted && !locked.user.platform) {
    try {
      const { target, before, after } = await changeLocked(deps, tx, by, locked, { role: wanted });
      await recordAct(tx, by, { act: "user.update", target, before, after }, { ids: deps.ids, now: deps.clock.now() });
    } catch (error) {
      if (!isMusterError(error, "last_admin")) throw error;
    }
  }
  if (roleMapped === roles.length > 0) return;
  const row = (await findUserRow(tx, by.tenantId, userId))!;
  if (row.attributes === null)
    await writeUser(tx, { tenantId: by.tenantId, id: userId, document: documentOf(row), now: deps.clock.now() });
  await setRoleMapped(tx, userId, roles.length > 0);
}

async function applyGroups(
  { ids, clock }: ScimDeps,
  tx: Tx,
  by: Provisioner,
  { userId, groupIds }: Mapped,
  former: readonly string[],
): Promise<void> {
  const now = clock.now();
  const [added, removed] = [
    groupIds.filter((id) => !former.includes(id)),
    former.filter((id) => !groupIds.includes(id)),
  ];
  const joined = await joinAsMember(tx, by.tenantId, userId, added, now);
  const left = await leaveAsMember(tx, by.tenantId, userId, removed, now);
  if (joined.length + left.length === 0) return;
  const after = { joinedGroups: joined, leftGroups: left };
  await recordAct(tx, by, { act: "user.change-groups", target: userId, after }, { ids, now });
}
