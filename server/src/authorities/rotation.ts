import { addDeviceRoot, addIntermediate, addServerCertificate, addServerRoot } from "./add-authority.ts";
import { type AuthorityRow, activateAuthority, retireAuthority, startRetiring } from "./authority-store.ts";
import { activeOf, type LockedHierarchy, reloadRows, type ServerRole } from "./locked-hierarchy.ts";

const SERVER_ROLES: readonly ServerRole[] = ["broker_server", "https_server"];

/** Creates the first generation of every role. */
export async function createHierarchy(hierarchy: LockedHierarchy): Promise<void> {
  await addIntermediate(hierarchy, await addDeviceRoot(hierarchy));
  const serverRoot = await addServerRoot(hierarchy);
  for (const role of SERVER_ROLES) await addServerCertificate(hierarchy, role, serverRoot, hierarchy.hosts);
}

/**
 * Adds an intermediate under the active device root, which signs from now on; leaves of the previous one stay valid.
 */
export async function rotateIntermediate(hierarchy: LockedHierarchy): Promise<void> {
  const previous = activeOf(hierarchy, "device_intermediate");
  await startRetiring(hierarchy.tx, previous.id, hierarchy.now);
  await addIntermediate(hierarchy, activeOf(hierarchy, "device_root"));
}

/** Adds a device root with an intermediate; the previous root stays trusted until its leaves have expired. */
export async function rotateDeviceRoot(hierarchy: LockedHierarchy): Promise<void> {
  await startRetiring(hierarchy.tx, activeOf(hierarchy, "device_root").id, hierarchy.now);
  await addDeviceRoot(hierarchy);
  await rotateIntermediate(hierarchy);
}

/** Returns the announced server root that is not active yet, if there is one. */
export function upcomingServerRoot({ rows }: Pick<LockedHierarchy, "rows">): AuthorityRow | undefined {
  return rows.find(({ role, status }) => role === "server_root" && status === "upcoming");
}

/**
 * Adds a server root to the bundle that devices fetch; servers use it from `takeOverAt` on. At most one is upcoming.
 */
export async function announceServerRoot(hierarchy: LockedHierarchy, takeOverAt: Date): Promise<void> {
  if (upcomingServerRoot(hierarchy) === undefined) await addServerRoot(hierarchy, takeOverAt);
}

/** Activates the upcoming server root, which signs new server certificates. */
export async function activateServerRoot(hierarchy: LockedHierarchy, upcoming: AuthorityRow): Promise<void> {
  const { tx, now, hosts } = hierarchy;
  await startRetiring(tx, activeOf(hierarchy, "server_root").id, now);
  await activateAuthority(tx, upcoming.id, now);
  await reloadRows(hierarchy);
  for (const role of SERVER_ROLES) await rotateServerCertificate(hierarchy, role, hosts);
}

/**
 * Replaces a server certificate. No overlap is needed: every process serves the previous one from memory until it has
 * loaded the new one.
 */
export async function rotateServerCertificate(
  hierarchy: LockedHierarchy,
  role: ServerRole,
  hosts: readonly string[],
): Promise<void> {
  await retireAuthority(hierarchy.tx, activeOf(hierarchy, role).id, hierarchy.now);
  await addServerCertificate(hierarchy, role, activeOf(hierarchy, "server_root"), hosts);
}

/** Replaces the certificates of broker and HTTPS, for the hosts of this process. */
export async function rotateServerCertificates(hierarchy: LockedHierarchy): Promise<void> {
  for (const role of SERVER_ROLES) await rotateServerCertificate(hierarchy, role, hierarchy.hosts);
}
