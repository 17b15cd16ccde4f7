import { createPrivateKey, X509Certificate } from "node:crypto";
import { AgentError } from "../errors.ts";

/** The contents of `device.json`: everything about the enrolled device except keys and certificates. */
export interface DeviceRecord {
  deviceId: string;
  /** The base address of the service, as given at enrollment. */
  server: string;
  brokerUrl: string;
  topicPrefix: string;
  /** The exact topics on which the certificate may publish (spec 2.8); may be empty. */
  publishTopics: string[];
  /** The exact topics on which the certificate may receive messages; empty if the device type lists none. */
  subscribeTopics: string[];
  /** ISO 8601. */
  certExpiresAt: string;
  /** ISO 8601. */
  renewAfterUtc: string;
  renewalEndpoint: string;
  hardwareFingerprint: string;
  hardwareModel: string;
  agentVersion: string;
}

/** The texts of the state files, by file name; `https-ca.pem` only if the enrollment had one. */
export interface StateFiles {
  "key.pem": string;
  "cert.pem": string;
  "chain.pem": string;
  "fullchain.pem": string;
  "ca.pem": string;
  "device.json": string;
  "https-ca.pem"?: string | undefined;
}

/** A complete and validated identity: the key belongs to the certificate. */
export interface Identity {
  stateDir: string;
  device: DeviceRecord;
  keyPem: string;
  /** The leaf and its issuing chain, as a TLS client must present them (spec 4.10). */
  fullchainPem: string;
  /** The trust anchors for the broker. */
  caPem: string;
  /** An additional trust anchor for the HTTPS server (development certificates). */
  httpsCaPem: string | undefined;
  certificate: X509Certificate;
}

/** The server's answer for one key, at redemption or renewal. */
export interface IssuedCertificate {
  keyPem: string;
  clientCert: string;
  clientCertChain: string;
  serverCaBundle: string;
}

/**
 * Returns the state files of a newly issued certificate.
 *
 * @throws AgentError `bad_response` if the certificate is not for the key or the device, or was not signed by the first
 *   certificate of its chain
 */
export function filesOf(issued: IssuedCertificate, device: DeviceRecord, httpsCaPem: string | undefined): StateFiles {
  const leaf = certificates(issued.clientCert, "clientCert")[0]!;
  const issuer = certificates(issued.clientCertChain, "clientCertChain")[0]!;
  certificates(issued.serverCaBundle, "serverCaBundle");
  if (!leaf.checkPrivateKey(createPrivateKey(issued.keyPem))) throw unusable("is for another key");
  if (!leaf.checkIssued(issuer) || !leaf.verify(issuer.publicKey)) throw unusable("was not issued by its chain");
  if (commonName(leaf) !== device.deviceId) throw unusable(`does not name ${device.deviceId}`);
  return {
    "key.pem": issued.keyPem,
    "cert.pem": line(issued.clientCert),
    "chain.pem": line(issued.clientCertChain),
    "fullchain.pem": line(issued.clientCert) + line(issued.clientCertChain),
    "ca.pem": line(issued.serverCaBundle),
    "device.json": `${JSON.stringify(device, null, 2)}\n`,
    "https-ca.pem": httpsCaPem,
  };
}

/**
 * Parses state files into an identity.
 *
 * @throws AgentError `state_damaged` if a part cannot be read, or the key does not belong to the certificate
 */
export function parseIdentity(stateDir: string, files: StateFiles): Identity {
  try {
    const certificate = new X509Certificate(files["cert.pem"]);
    if (!certificate.checkPrivateKey(createPrivateKey(files["key.pem"])))
      throw new Error("key.pem does not belong to cert.pem");
    return {
      stateDir,
      device: parseDevice(files["device.json"]),
      keyPem: files["key.pem"],
      fullchainPem: line(files["cert.pem"]) + line(files["chain.pem"]),
      caPem: files["ca.pem"],
      httpsCaPem: files["https-ca.pem"],
      certificate,
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError("state_damaged", `The state folder ${stateDir} cannot be used: ${why}`, { cause });
  }
}

function parseDevice(text: string): DeviceRecord {
  const record = JSON.parse(text) as Partial<DeviceRecord>;
  for (const field of ["deviceId", "server", "brokerUrl", "renewalEndpoint"] as const) {
    if (typeof record[field] !== "string") throw new Error(`device.json has no ${field}`);
  }
  return {
    topicPrefix: "",
    publishTopics: [],
    subscribeTopics: [],
    certExpiresAt: "",
    renewAfterUtc: "",
    hardwareFingerprint: "",
    hardwareModel: "",
    agentVersion: "",
    ...record,
  } as DeviceRecord;
}

/** Returns every certificate of a PEM text, at least one. */
function certificates(text: string, field: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    if (blocks.length === 0) throw new Error("no certificate in it");
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    throw new AgentError("bad_response", `The server's ${field} cannot be read.`, { cause });
  }
}

function commonName(certificate: X509Certificate): string | undefined {
  // Node prints one attribute per line for single-valued RDNs.
  return /^CN=(.*)$/m.exec(certificate.subject)?.[1];
}

const unusable = (why: string) => new AgentError("bad_response", `The certificate the server sent ${why}.`);

const line = (pem: string): string => (pem.endsWith("\n") ? pem : `${pem}\n`);
