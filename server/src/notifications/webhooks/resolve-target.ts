import { isIP } from "node:net";
import { isPublicAddress } from "./public-address.ts";

/** Every address of a host name. */
export type Resolve = (host: string) => Promise<string[]>;

/** An address that must not be called. */
export class TargetRefused extends Error {
  override readonly name = "TargetRefused";
}

/**
 * The one address to connect to for `url`. It is looked up once and judged; who connects to it and to nothing else cannot
 * be led elsewhere by a name that answers differently the next time.
 *
 * @throws TargetRefused when it is no https address or one of its addresses is not public
 */
export async function resolveTarget(url: URL, resolve: Resolve, allowPrivate: boolean): Promise<string> {
  if (url.protocol !== "https:") throw new TargetRefused("only https addresses are called");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) ? [host] : await resolve(host);
  const [first] = addresses;
  if (first === undefined) throw new TargetRefused("the host has no address");
  if (!allowPrivate && !addresses.every(isPublicAddress))
    throw new TargetRefused("the host is not on the public internet (MUSTER_WEBHOOK_ALLOW_PRIVATE)");
  return first;
}
