import type { IncomingMessage } from "node:http";
import type { TLSSocket } from "node:tls";
import type { PeerCertificate } from "../../certificates/certificates.ts";
import { type AddressRange, isInRanges, withoutMapping } from "../../lib/address.ts";
import { DEFAULT_LIMITS } from "../../lib/limits/limits.ts";
import { Refusal } from "../problem.ts";

/** Verifies a forwarded certificate against the device roots. */
export interface ChainVerifier {
  verifyClientChain(leafDer: Buffer, intermediateDers: readonly Buffer[]): { verified: boolean };
}

const TWO_CERTIFICATES =
  "The request has two client certificates: one in its TLS handshake, one in the Client-Cert header. A proxy must connect without a certificate of its own.";

/** More certificates than any device's chain has; a longer header is refused without decoding it. */
const MAX_CHAIN = DEFAULT_LIMITS.forwardedCertificates;
const MAX_FIELD = DEFAULT_LIMITS.forwardedCertificateCharacters;

/**
 * Creates a reader of a request's client certificate: from the TLS handshake, or from the `Client-Cert` headers (RFC
 * 9440) of a trusted proxy, which this process verifies again. From any other peer the headers are ignored.
 *
 * @param proxies may name any device's certificate
 * @returns a function that throws Refusal invalid_request if a trusted proxy sends the header over a connection with a
 *   client certificate of its own, because it is unclear which of the two belongs to the device
 */
export function createPeerReader(
  verifier: ChainVerifier,
  proxies: readonly AddressRange[],
): (request: IncomingMessage) => PeerCertificate | undefined {
  const ofSocket = new WeakMap<object, PeerCertificate | "none">();
  return ({ socket, headers }) => {
    const forwarded = headers["client-cert"];
    let peer = ofSocket.get(socket);
    if (peer === undefined) {
      peer = tlsPeer(socket as TLSSocket) ?? "none";
      ofSocket.set(socket, peer);
    }
    if (forwarded !== undefined && isInRanges(withoutMapping(socket.remoteAddress ?? ""), proxies)) {
      if (peer !== "none") throw new Refusal("invalid_request", TWO_CERTIFICATES);
      return forwardedPeer(verifier, forwarded, headers["client-cert-chain"]);
    }
    return peer === "none" ? undefined : peer;
  };
}

/**
 * Returns the certificate of the TLS handshake. `authorized` alone is not sufficient: without a certificate it can be
 * true on a resumed session (nodejs/node #35317), so a certificate must exist as well.
 */
function tlsPeer(socket: TLSSocket): PeerCertificate | undefined {
  const der = socket.getPeerX509Certificate?.()?.raw;
  if (!der) return undefined;
  return { der, verified: socket.authorized };
}

function forwardedPeer(
  verifier: ChainVerifier,
  leafField: string | string[],
  chainField: string | string[] | undefined,
): PeerCertificate | undefined {
  const leaf = parseByteSequences(String(leafField));
  const chain = chainField === undefined ? [] : parseByteSequences(String(chainField));
  // Two Client-Cert headers arrive joined: a second one, which a client may have smuggled in, invalidates both.
  if (leaf?.length !== 1 || chain === undefined) return undefined;
  const der = leaf[0]!;
  return { der, verified: verifier.verifyClientChain(der, chain).verified };
}

const BYTE_SEQUENCE = /^:([A-Za-z0-9+/]+={0,2}):$/;

/** Parses a list of byte sequences (RFC 8941 3.3.5); returns `undefined` for anything else. */
export function parseByteSequences(field: string): Buffer[] | undefined {
  if (field.length > MAX_FIELD) return undefined;
  const items = field.split(",");
  if (items.length > MAX_CHAIN) return undefined;
  const sequences = items.map((item) => BYTE_SEQUENCE.exec(item.trim())?.[1]);
  if (sequences.some((sequence) => sequence === undefined)) return undefined;
  return sequences.map((sequence) => Buffer.from(sequence!, "base64"));
}
