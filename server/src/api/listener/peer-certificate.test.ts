import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { test } from "node:test";
import { addressRange } from "../../lib/address.ts";
import { createPeerReader, parseByteSequences } from "./peer-certificate.ts";

const LEAF = Buffer.from("leaf of the victim");
const ISSUER = Buffer.from("its issuer");
const field = (der: Buffer) => `:${der.toString("base64")}:`;

/** A verifier that accepts one chain, and records its arguments. */
function chainVerifier() {
  const verified: Buffer[][] = [];
  return {
    verified,
    verifyClientChain(leaf: Buffer, chain: readonly Buffer[]) {
      verified.push([leaf, ...chain]);
      return leaf.equals(LEAF) && chain[0]?.equals(ISSUER) ? { verified: true } : { verified: false };
    },
  };
}

function request(remoteAddress: string, headers: Record<string, string>, socket: object = {}): IncomingMessage {
  return { headers, socket: Object.assign(socket, { remoteAddress }) } as unknown as IncomingMessage;
}

test("byte sequences are parsed strictly (RFC 8941 3.3.5)", () => {
  assert.deepEqual(parseByteSequences(":YWJj:"), [Buffer.from("abc")]);
  assert.deepEqual(parseByteSequences(":YWJj:, :ZGVm:"), [Buffer.from("abc"), Buffer.from("def")]);
  for (const bad of ["", "YWJj", ":YWJj", ":YW Jj:", ":YWJj:;a=1", ":YWJj:,", "::", ":YWJj::", '"x"', "-----BEGIN"])
    assert.equal(parseByteSequences(bad), undefined, bad);
  assert.equal(parseByteSequences(`:${"A".repeat(20_000)}:`), undefined);
  assert.equal(parseByteSequences(Array(9).fill(":YWJj:").join(",")), undefined);
});

test("a certificate forwarded by a trusted proxy is verified again", () => {
  const seen = chainVerifier();
  const peerOf = createPeerReader(seen, [addressRange("10.0.0.1")!]);
  const headers = { "client-cert": field(LEAF), "client-cert-chain": field(ISSUER) };
  assert.deepEqual(peerOf(request("10.0.0.1", headers)), { der: LEAF, verified: true });
  assert.deepEqual(seen.verified, [[LEAF, ISSUER]]);
  const leafOnly = peerOf(request("10.0.0.1", { "client-cert": field(LEAF) }));
  assert.deepEqual(leafOnly, { der: LEAF, verified: false });
});

test("a forwarding header of any other peer is ignored, under any name", () => {
  const seen = chainVerifier();
  const peerOf = createPeerReader(seen, [addressRange("10.0.0.1")!]);
  for (const name of ["client-cert", "x-client-cert", "x-forwarded-client-cert", "ssl-client-cert", "x-ssl-cert"]) {
    const headers = { [name]: field(LEAF), "client-cert-chain": field(ISSUER), "x-forwarded-for": "10.0.0.1" };
    assert.equal(peerOf(request("203.0.113.9", headers)), undefined, name);
  }
  assert.deepEqual(seen.verified, []);
});

test("a trusted proxy's header beside a TLS client certificate is refused, verified or not; any other peer's is ignored", () => {
  const peerOf = createPeerReader(chainVerifier(), [addressRange("10.0.0.1")!]);
  const headers = { "client-cert": field(LEAF), "client-cert-chain": field(ISSUER) };
  for (const authorized of [true, false]) {
    const tls = () => ({ authorized, getPeerX509Certificate: () => ({ raw: Buffer.from("the proxy's own") }) });
    assert.throws(() => peerOf(request("10.0.0.1", headers, tls())), /two client certificates/);
    assert.deepEqual(peerOf(request("203.0.113.9", headers, tls()))?.der, Buffer.from("the proxy's own"));
  }
});

test("two Client-Cert headers, or a malformed one, are ignored", () => {
  const peerOf = createPeerReader(chainVerifier(), [addressRange("10.0.0.1")!]);
  for (const cert of [`${field(LEAF)}, ${field(LEAF)}`, "rubbish", ""])
    assert.equal(
      peerOf(request("10.0.0.1", { "client-cert": cert, "client-cert-chain": field(ISSUER) })),
      undefined,
      cert,
    );
});

test("TLS counts only with a certificate there: `authorized` alone does not (nodejs/node #35317)", () => {
  const peerOf = createPeerReader(chainVerifier(), []);
  const tls = (certificate: Buffer | undefined, authorized: boolean) => ({
    authorized,
    authorizationError: authorized ? null : "UNABLE_TO_GET_ISSUER_CERT",
    getPeerX509Certificate: () => certificate && { raw: certificate },
  });
  assert.equal(peerOf(request("203.0.113.9", {}, tls(undefined, true))), undefined);
  assert.deepEqual(peerOf(request("203.0.113.9", {}, tls(LEAF, true))), { der: LEAF, verified: true });
  assert.deepEqual(peerOf(request("203.0.113.9", {}, tls(LEAF, false))), {
    der: LEAF,
    verified: false,
  });
});
