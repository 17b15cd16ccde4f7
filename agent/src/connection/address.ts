import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { AgentError } from "../errors.ts";
import type { Identity } from "../state/identity.ts";

/** The address at which a broker listens. */
export interface Address {
  /** A name or an address; an IPv6 address without brackets. */
  host: string;
  port: number;
}

const DEFAULT_PORT = 8883;

/** Returns host and port of the identity's `brokerUrl`, `mqtts://host[:port]`. @throws AgentError `bad_response` */
export function brokerAddress({ device: { brokerUrl } }: Identity): Address {
  const url = URL.canParse(brokerUrl) ? new URL(brokerUrl) : undefined;
  if (url === undefined || !["mqtts:", "ssl:", "tls:"].includes(url.protocol)) {
    throw new AgentError("bad_response", `The broker's address is not an mqtts:// address: ${brokerUrl}`);
  }
  return addressOf(url);
}

/**
 * Returns the first address of a server reference, a list of `host[:port]` separated by spaces (MQTT 5, 4.11);
 * undefined if it has none. Trust does not follow the reference: the other server must also present a certificate for
 * its name that `ca.pem` verifies.
 */
export function referredAddress(reference: string): Address | undefined {
  const [first = ""] = reference.trim().split(/\s+/);
  const text = /^\w+:\/\//.test(first) ? first : `mqtts://${first}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url === undefined || url.protocol !== "mqtts:" || url.hostname === "" ? undefined : addressOf(url);
}

function addressOf(url: URL): Address {
  return { host: url.hostname.replace(/^\[|\]$/g, ""), port: url.port === "" ? DEFAULT_PORT : Number(url.port) };
}

/** Formats the address as in a URL. */
export const addressText = ({ host, port }: Address): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

/** Returns TLS options with the identity's key, certificate and full chain (spec 4.10). */
export function tlsOptions(identity: Identity, { host, port }: Address): ConnectionOptions {
  const options: ConnectionOptions = {
    host,
    port,
    cert: identity.fullchainPem,
    key: identity.keyPem,
    ca: identity.caPem,
    minVersion: "TLSv1.2",
    rejectUnauthorized: true,
  };
  // TLS does not allow an IP address as the server name (RFC 6066 3).
  if (isIP(host) === 0) options.servername = host;
  return options;
}
