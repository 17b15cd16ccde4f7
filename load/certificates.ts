import { generateKeyPairSync } from "node:crypto";
import { systemClock } from "../server/src/lib/clock.ts";
import { randomIds } from "../server/src/lib/ids.ts";
import {
  createDeviceRoot,
  createIssuingIntermediate,
  createServerCertificate,
  createServerRoot,
  fileSigner,
  issueLeaf,
  newSerialNumber,
  selfEnrolled,
} from "../server/src/pki/pki.ts";
import { keyPem } from "./enroll.ts";
import type { Identity } from "./mqtt-client.ts";

export type PeerCertificates = ReturnType<typeof newPeerCertificates>;

/** Returns what a CA certificate is made from: a name, a time and a serial number. */
export function authorityNamed(name: string) {
  return { name, now: systemClock.now(), validDays: 3650, serialNumber: newSerialNumber(randomIds) };
}

/** Creates a device root and an intermediate that issues. */
export function newIssuer() {
  const root = createDeviceRoot(authorityNamed("bench device root"));
  const intermediate = createIssuingIntermediate(authorityNamed("bench issuing"), root);
  return { root, intermediate, signer: fileSigner(intermediate.certificateDer, intermediate.privateKey) };
}

/** Creates certificates with the product's shape, sizes and algorithms, so that a peer's handshakes cost the same. */
export function newPeerCertificates() {
  const { root, intermediate, signer } = newIssuer();
  const serverRoot = createServerRoot(authorityNamed("bench server root"));
  const about = { ...authorityNamed("bench broker"), validDays: 400, hosts: ["localhost", "127.0.0.1"] };
  const server = createServerCertificate(about, serverRoot);

  async function newIdentity(index: number): Promise<Identity> {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const deviceId = `bench-${index}`;
    const spki = publicKey.export({ format: "der", type: "spki" });
    const serialNumber = newSerialNumber(randomIds);
    const wanted = { profile: selfEnrolled, commonName: deviceId, serialNumber, spki, now: systemClock.now() };
    const { pem } = await issueLeaf(wanted, signer);
    const topic = `t/bench/telemetry/${deviceId}`;
    return { deviceId, key: keyPem(privateKey), fullchain: pem + intermediate.certificatePem, topic };
  }

  return {
    deviceRootPem: root.certificatePem,
    serverRootPem: serverRoot.certificatePem,
    server: { cert: server.certificatePem, key: keyPem(server.privateKey) },
    newIdentities: (count: number) => Promise.all(Array.from({ length: count }, (_, index) => newIdentity(index))),
  };
}
