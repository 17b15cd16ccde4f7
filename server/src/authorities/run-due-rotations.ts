import { retireAuthority } from "./authority-store.ts";
import { activeOf, type LockedHierarchy, reloadRows, type ServerRole } from "./locked-hierarchy.ts";
import {
  activateServerRoot,
  announceServerRoot,
  rotateDeviceRoot,
  rotateIntermediate,
  rotateServerCertificate,
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

/**
 * Runs all due work: rotates what expires soon, activates an announced server root, and retires what nothing valid
 * depends on.
 */
export async function runDueRotations(hierarchy: LockedHierarchy): Promise<void> {
  await rotateDeviceAuthorities(hierarchy);
  await rotateServerRoot(hierarchy);
  await rotateDueServerCertificate(hierarchy, "broker_server");
  await rotateDueServerCertificate(hierarchy, "https_server");
  await retireUnused(hierarchy);
}

async function rotateDeviceAuthorities(hierarchy: LockedHierarchy): Promise<void> {
  const left = (role: "device_root" | "device_intermediate") => remaining(activeOf(hierarchy, role), hierarchy.now);
  if (left("device_root") < DEVICE_ROOT_NEEDS) await rotateDeviceRoot(hierarchy);
  else if (left("device_intermediate") < INTERMEDIATE_NEEDS) await rotateIntermediate(hierarchy);
}

async function rotateServerRoot(hierarchy: LockedHierarchy): Promise<void> {
  const { now } = hierarchy;
  const root = activeOf(hierarchy, "server_root");
  if (remaining(root, now) < SERVER_ROOT_NEEDS) await announceServerRoot(hierarchy, scheduledTakeOver(root, now));
  const upcoming = upcomingServerRoot(hierarchy);
  if (upcoming !== undefined && upcoming.take_over_at! <= now) await activateServerRoot(hierarchy, upcoming);
}

/**
 * Replaces a server certificate if it is due. If only a host is missing, the current hosts are retained. Two processes
 * with different public hosts then agree on a certificate for both, instead of replacing each other's on every run.
 */
async function rotateDueServerCertificate(hierarchy: LockedHierarchy, role: ServerRole): Promise<void> {
  const { hosts, now } = hierarchy;
  const present = activeOf(hierarchy, role);
  if (!serverCertificateIsDue(present, activeOf(hierarchy, "server_root"), hosts, now)) return;
  const missing = uncoveredHosts(present.certificate_der, hosts);
  const keepsHosts = missing.length > 0 && !isInLastThird(present, now);
  const wanted = keepsHosts ? [...missing, ...hostsOf(present.certificate_der)] : hosts;
  await rotateServerCertificate(hierarchy, role, wanted);
}

/**
 * Retires unused authorities, intermediates before roots, because a root retires after everything that it has issued.
 */
async function retireUnused(hierarchy: LockedHierarchy): Promise<void> {
  const { tx, now } = hierarchy;
  for (const role of ["device_intermediate", "device_root", "server_root"] as const) {
    const unused = hierarchy.rows.filter(
      (row) => row.role === role && row.status === "retiring" && mayRetire(row, hierarchy.rows, now),
    );
    for (const { id } of unused) await retireAuthority(tx, id, now);
    if (unused.length > 0) await reloadRows(hierarchy);
  }
}
