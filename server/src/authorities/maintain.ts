import { retireAuthority } from "./authority-store.ts";
import { activeOf, type Books, reread, type ServerRole } from "./generations.ts";
import {
  announceServerRoot,
  succeedDeviceRoot,
  succeedIntermediate,
  succeedServerCertificate,
  takeOverServerRoot,
  upcomingServerRoot,
} from "./rotation.ts";
import {
  DEVICE_ROOT_NEEDS,
  INTERMEDIATE_NEEDS,
  isInLastThird,
  mayRetire,
  remaining,
  SERVER_ROOT_NEEDS,
  scheduledTakeOver,
  serverCertificateIsDue,
} from "./schedule.ts";
import { hostsOf, uncoveredHosts } from "./server-hosts.ts";

/** Does what is due: successors in time, an announced server root taken into use, keys of finished ones deleted. */
export async function carryOutWhatIsDue(books: Books): Promise<void> {
  await maintainDevices(books);
  await maintainServerRoot(books);
  await maintainServerCertificate(books, "broker_server");
  await maintainServerCertificate(books, "https_server");
  await retireFinished(books);
}

async function maintainDevices(books: Books): Promise<void> {
  if (remaining(activeOf(books, "device_root"), books.now) < DEVICE_ROOT_NEEDS) await succeedDeviceRoot(books);
  else if (remaining(activeOf(books, "device_intermediate"), books.now) < INTERMEDIATE_NEEDS) {
    await succeedIntermediate(books);
  }
}

async function maintainServerRoot(books: Books): Promise<void> {
  const root = activeOf(books, "server_root");
  if (remaining(root, books.now) < SERVER_ROOT_NEEDS) {
    await announceServerRoot(books, scheduledTakeOver(root, books.now));
  }
  const upcoming = upcomingServerRoot(books);
  if (upcoming !== undefined && upcoming.take_over_at! <= books.now) await takeOverServerRoot(books, upcoming);
}

/**
 * Where only a host is missing, the present ones are kept: two processes that were given different public hosts then
 * agree on a certificate for both, instead of re-issuing each other's for ever.
 */
async function maintainServerCertificate(books: Books, role: ServerRole): Promise<void> {
  const present = activeOf(books, role);
  if (!serverCertificateIsDue(present, activeOf(books, "server_root"), books.hosts, books.now)) return;
  const missing = uncoveredHosts(present.certificate_der, books.hosts);
  const keepsHosts = missing.length > 0 && !isInLastThird(present, books.now);
  const hosts = keepsHosts ? [...missing, ...hostsOf(present.certificate_der)] : books.hosts;
  await succeedServerCertificate(books, role, hosts);
}

/** Intermediates before roots, since a root waits for what it issued. */
async function retireFinished(books: Books): Promise<void> {
  for (const role of ["device_intermediate", "device_root", "server_root"] as const) {
    const finished = books.rows.filter(
      (row) => row.role === role && row.status === "retiring" && mayRetire(row, books.rows, books.now),
    );
    for (const { id } of finished) await retireAuthority(books.tx, id, books.now);
    if (finished.length > 0) await reread(books);
  }
}
