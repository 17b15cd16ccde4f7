import { useCase } from "../access/access.ts";
import type { RootRollout } from "../authorities/authorities.ts";
import { countServerRoot } from "../certificates/certificates.ts";
import { addMs, DAY } from "../lib/clock.ts";
import type { PlatformDeps } from "./deps.ts";

/** So long before a server root takes over, devices that lack it are reported in the log. */
const WARN_MS = 7 * DAY;

/** How far a new server root has come. */
export interface TrustRollout extends RootRollout {
  /** Devices with a live certificate, of all tenants. */
  devices: number;
  /** Those that have the root. */
  trusting: number;
}

/** Which part of the devices has the new server root; `undefined` while no root takes the place of another one. It reads every device. */
export async function measureRollout({
  authorities,
  database,
  clock,
}: PlatformDeps): Promise<TrustRollout | undefined> {
  const root = await authorities.rollout();
  if (root === undefined) return undefined;
  return { ...root, ...(await countServerRoot(database.db, root, clock.now())) };
}

/** Sets the gauge, and warns before a root takes over that devices lack; to be called every hour. */
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
