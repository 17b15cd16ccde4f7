import { generateKeyPairSync } from "node:crypto";
import { systemClock } from "../../server/src/lib/clock.ts";
import { randomIds } from "../../server/src/lib/ids.ts";
import {
  createDeviceRoot,
  createIssuingIntermediate,
  createServerCertificate,
  createServerRoot,
  fileSigner,
  issueLeaf,
  newSerialNumber,
  selfEnrolled,
} from "../../server/src/pki/pki.ts";
import type { Identity } from "../load/mqtt-client.ts";

/** A hierarchy with the shape, sizes and algorithms of the product's, so that a peer's handshakes cost the same. */
export interface PeerCertificates {
  readonly deviceRootPem: string;
  readonly serverRootPem: string;
  readonly server: { readonly cert: string; readonly key: string };
  newIdentities(count: number): Promise<Identity[]>;
}

export function newPeerCertificates(): PeerCertificates {
  const now = systemClock.now();
  const wanted = (name: string) => ({ name, now, validDays: 400, serialNumber: newSerialNumber(randomIds) });
  const root = createDeviceRoot(wanted("bench device root"));
  const intermediate = createIssuingIntermediate(wanted("bench issuing"), root);
  const serverRoot = createServerRoot(wanted("bench server root"));
  const server = createServerCertificate({ ...wanted("bench broker"), hosts: ["localhost", "127.0.0.1"] }, serverRoot);
  const signer = fileSigner(intermediate.certificateDer, intermediate.privateKey);

  async function newIdentity(index: number): Promise<Identity> {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const deviceId = `bench-${index}`;
    const spki = publicKey.export({ format: "der", type: "spki" });
    const serialNumber = newSerialNumber(randomIds);
    const leaf = await issueLeaf({ profile: selfEnrolled, commonName: deviceId, serialNumber, spki, now }, signer);
    return {
      deviceId,
      key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
      fullchain: leaf.pem + intermediate.certificatePem,
      topic: `t/bench/telemetry/${deviceId}`,
    };
  }

  return {
    deviceRootPem: root.certificatePem,
    serverRootPem: serverRoot.certificatePem,
    server: {
      cert: server.certificatePem,
      key: server.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    },
    newIdentities: (count) => Promise.all(Array.from({ length: count }, (_, index) => newIdentity(index))),
  };
}
