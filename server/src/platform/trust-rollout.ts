import { useCase } from "../access/access.ts";
import type { RootRollout } from "../authorities/authorities.ts";
import { countServerRoot } from "../certificates/certificates.ts";
import { addMs, DAY } from "../lib/clock.ts";
import type { PlatformDeps } from "./deps.ts";

/** The time before a server root takes over during which devices that lack it are reported in the log. */
const WARN_MS = 7 * DAY;

/** The progress of a new server root's rollout. */
export interface TrustRollout extends RootRollout {
  /** The number of devices with a live certificate, across all tenants. */
  devices: number;
  /** The number of devices that have the root. */
  trusting: number;
}

/** Returns how many devices have the new server root; `undefined` if no root is being replaced. Reads every device. */
export async function measureRollout({
  authorities,
  database,
  clock,
}: PlatformDeps): Promise<TrustRollout | undefined> {
  const root = await authorities.rollout();
  if (root === undefined) return undefined;
  return { ...root, ...(await countServerRoot(database.db, root, clock.now())) };
}

/** Sets the gauge, and warns of devices that lack a root that is about to take over; must be called every hour. */
export async function reportRollout(deps: PlatformDeps): Promise<void> {
  const rollout = await measureRollout(deps);
  const { metrics, logger, clock } = deps;
  metrics.serverRootDevices.reset();
  if (rollout === undefined) return;
  const { devices, trusting, takeOverAt, activatedAt, name } = rollout;
  metrics.serverRootDevices.set({ state: "trusting" }, trusting);
  metrics.serverRootDevices.set({ state: "missing" }, devices - trusting);
  const isSoon = activatedAt !== null || (takeOverAt !== null && takeOverAt <= addMs(clock.now(), WARN_MS));
  if (isSoon && trusting < devices)
    logger.warn(
      { root: name, takeOverAt: activatedAt ?? takeOverAt, devices, missing: devices - trusting },
      "devices lack the new server root: they cannot verify the broker once it is served",
    );
}

export const showTrustRollout = useCase(
  { role: "platform" },
  async (deps: PlatformDeps, _caller): Promise<TrustRollout | null> => (await measureRollout(deps)) ?? null,
);
