import { type AuthorityRow, activateAuthority, retireAuthority, startRetiring } from "./authority-store.ts";
import {
  activeOf,
  addDeviceRoot,
  addIntermediate,
  addServerCertificate,
  addServerRoot,
  type Books,
  reread,
  type ServerRole,
} from "./generations.ts";

const SERVER_ROLES: readonly ServerRole[] = ["broker_server", "https_server"];

/** The first generation of everything. */
export async function establish(books: Books): Promise<void> {
  await addIntermediate(books, await addDeviceRoot(books));
  const serverRoot = await addServerRoot(books);
  for (const role of SERVER_ROLES) await addServerCertificate(books, role, serverRoot, books.hosts);
}

/** A new intermediate under the active device root signs from now on; leaves of the old one live on. */
export async function succeedIntermediate(books: Books): Promise<void> {
  const old = activeOf(books, "device_intermediate");
  await startRetiring(books.tx, old.id, books.now);
  await addIntermediate(books, activeOf(books, "device_root"));
}

/** A new device root with an intermediate under it; the old root stays trusted until its leaves are gone. */
export async function succeedDeviceRoot(books: Books): Promise<void> {
  await startRetiring(books.tx, activeOf(books, "device_root").id, books.now);
  await addDeviceRoot(books);
  await succeedIntermediate(books);
}

/** The server root that is waiting to be taken into use, if there is one. */
export function upcomingServerRoot({ rows }: Pick<Books, "rows">): AuthorityRow | undefined {
  return rows.find(({ role, status }) => role === "server_root" && status === "upcoming");
}

/** A new server root joins the bundle that devices fetch; servers use it from `takeOverAt` on. One waits at a time. */
export async function announceServerRoot(books: Books, takeOverAt: Date): Promise<void> {
  if (upcomingServerRoot(books) === undefined) await addServerRoot(books, takeOverAt);
}

/** The waiting server root becomes the active one and signs new server certificates. */
export async function takeOverServerRoot(books: Books, upcoming: AuthorityRow): Promise<void> {
  await startRetiring(books.tx, activeOf(books, "server_root").id, books.now);
  await activateAuthority(books.tx, upcoming.id, books.now);
  await reread(books);
  for (const role of SERVER_ROLES) await succeedServerCertificate(books, role, books.hosts);
}

/** A server certificate needs no overlap: every process keeps the old one in memory until it has loaded the new. */
export async function succeedServerCertificate(
  books: Books,
  role: ServerRole,
  hosts: readonly string[],
): Promise<void> {
  const old = activeOf(books, role);
  await retireAuthority(books.tx, old.id, books.now);
  await addServerCertificate(books, role, activeOf(books, "server_root"), hosts);
}

/** New broker and HTTPS certificates, for exactly our hosts. */
export async function succeedServerCertificates(books: Books): Promise<void> {
  for (const role of SERVER_ROLES) await succeedServerCertificate(books, role, books.hosts);
}
