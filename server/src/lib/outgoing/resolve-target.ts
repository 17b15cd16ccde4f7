import { isIP } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** Resolves every address of a host name. `signal` aborts the lookup. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/** Whether targets may be in private networks and on this machine, and the setting with which an operator says so. */
export interface PrivateTargets {
  allowed: boolean;
  setting: string;
}

/** The target must not be called, now or later. */
export class TargetRefused extends Error {
  override readonly name = "TargetRefused";
}

/**
 * Resolves `url` once, and returns the checked address to connect to. The caller connects to exactly this address, so
 * that DNS rebinding, a different result of a later lookup, has no effect.
 *
 * @throws TargetRefused if `url` is not https, or one of its addresses is not public
 */
export async function resolveTarget(
  url: URL,
  resolve: Resolve,
  { allowed, setting }: PrivateTargets,
  signal: AbortSignal,
): Promise<string> {
  if (url.protocol !== "https:") throw new TargetRefused("only https addresses are called");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) ? [host] : await resolve(host, signal);
  const [first] = addresses;
  if (first === undefined) throw new TargetRefused("the host has no address");
  if (!allowed && !addresses.every(isPublicAddress))
    throw new TargetRefused(`the host is not on the public internet (${setting})`);
  return first;
}
