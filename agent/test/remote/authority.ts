import "reflect-metadata";
import { randomBytes, webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

x509.cryptoProvider.set(webcrypto);

const P256 = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY = 86_400_000;

/** A certificate authority of the remote party: root, intermediate, leaves. */
export interface Authority {
  rootPem: string;
  chainPem: string;
  /** Returns a client certificate for the key of a PEM request, as the service would issue it. */
  issue(csrPem: string, deviceId: string, days?: number): Promise<Issued>;
  /** Returns a server certificate for localhost and its key. */
  server(): Promise<{ cert: string; key: string }>;
}

export interface Issued {
  certPem: string;
  serial: string;
  expiresAt: Date;
}

const newKeys = () => webcrypto.subtle.generateKey(P256, true, ["sign", "verify"]) as Promise<webcrypto.CryptoKeyPair>;

export async function newAuthority(): Promise<Authority> {
  const root = await newKeys();
  const rootCert = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=Remote Root",
    keys: root,
    signingAlgorithm: P256,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + 900 * DAY),
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  const middle = await newKeys();
  const sign = (
    subject: string,
    publicKey: x509.PublicKeyType,
    issuer: { name: string; key: webcrypto.CryptoKey },
    days: number,
    extensions: x509.Extension[],
  ) =>
    x509.X509CertificateGenerator.create({
      subject,
      issuer: issuer.name,
      publicKey,
      signingKey: issuer.key,
      signingAlgorithm: P256,
      serialNumber: `2a${randomBytes(15).toString("hex")}`,
      notBefore: new Date(Date.now() - DAY),
      notAfter: new Date(Math.floor(Date.now() / 1000) * 1000 + days * DAY),
      extensions,
    });
  const middleIssuer = { name: "CN=Remote Intermediate", key: middle.privateKey };
  const middleCert = await sign(
    middleIssuer.name,
    middle.publicKey,
    { name: "CN=Remote Root", key: root.privateKey },
    800,
    [new x509.BasicConstraintsExtension(true, 0, true)],
  );
  const pem = (certificate: x509.X509Certificate) => `${certificate.toString("pem")}\n`;
  return {
    rootPem: pem(rootCert),
    chainPem: pem(middleCert),
    issue: async (csrPem, deviceId, days = 30) => {
      const { publicKey } = new x509.Pkcs10CertificateRequest(csrPem);
      const cert = await sign(`CN=${deviceId}`, publicKey, middleIssuer, days, []);
      return { certPem: pem(cert), serial: cert.serialNumber, expiresAt: cert.notAfter };
    },
    server: async () => {
      const keys = await newKeys();
      const names = new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }]);
      const cert = await sign("CN=localhost", keys.publicKey, middleIssuer, 30, [names]);
      const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey));
      return { cert: pem(cert) + pem(middleCert), key: x509.PemConverter.encode(pkcs8, "PRIVATE KEY") };
    },
  };
}
