import { isIP } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** Looks up every address of a host name; `signal` ends the look-up. */
export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>;

/** The target must not be called, now or later. */
export class TargetRefused extends Error {
  override readonly name = "TargetRefused";
}

/**
 * The one address to connect to for `url`, looked up once and checked. The caller connects to exactly this address, so that a name
 * that resolves differently at the next look-up (DNS rebinding) leads nowhere else.
 *
 * @throws TargetRefused when `url` is not https, or one of its addresses is not public
 */
export async function resolveTarget(
  url: URL,
  resolve: Resolve,
  allowPrivate: boolean,
  signal: AbortSignal,
): Promise<string> {
  if (url.protocol !== "https:") throw new TargetRefused("only https addresses are called");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) ? [host] : await resolve(host, signal);
  const [first] = addresses;
  if (first === undefined) throw new TargetRefused("the host has no address");
  if (!allowPrivate && !addresses.every(isPublicAddress))
    throw new TargetRefused("the host is not on the public internet (MUSTER_WEBHOOK_ALLOW_PRIVATE)");
  return first;
}
