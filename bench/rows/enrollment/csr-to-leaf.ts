import "reflect-metadata";
import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import * as x509 from "@peculiar/x509";
import { makeCsr } from "../../../agent/src/csr.ts";
import { newIssuer } from "../../../load/certificates.ts";
import { systemClock } from "../../../server/src/lib/clock.ts";
import { randomIds } from "../../../server/src/lib/ids.ts";
import { issueLeaf, newSerialNumber, readCsr, selfEnrolled } from "../../../server/src/pki/pki.ts";
import { beside, type Figure, figure, timesAtLeast } from "../../report.ts";

const ROUNDS = 6;
const ROUND_MS = 250;

/**
 * CSR PEM in, leaf PEM out, on one thread: beside its unavoidable operations, and beside a library. The key of a CSR is
 * new to the process, and its import and first verification cost more than later ones, so the floor imports each key too.
 */
export async function csrToLeaf(): Promise<Figure[]> {
  const devices = new Map(Array.from({ length: 200 }, newPair).map((pair) => [makeCsr(pair.privateKey), pair]));
  const contenders = [ourIssuer(), bareOperations(devices), await libraryIssuer()];
  const [ours, floor, library] = await perCpuSecond(contenders, [...devices.keys()]);
  const row = (against: string, peer: string, value: number, ratio: number) =>
    figure(`CSR to leaf, against ${against}`, ours!, "/s of CPU", beside(peer, value), timesAtLeast(ratio));
  return [
    row("a library", "@peculiar/x509", library!, 10),
    row("the floor", "key import + verify + sign alone", floor!, 0.7),
  ];
}

type Operation = (csr: string) => unknown;

/** Returns operations per second of CPU time, measured in turns so that neither load nor warm-up favours one of them. */
async function perCpuSecond(contenders: readonly Operation[], csrs: readonly string[]): Promise<number[]> {
  const sums = contenders.map(() => ({ count: 0, cpuUs: 0 }));
  for (const operation of contenders) for (const csr of csrs) await operation(csr);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, operation] of contenders.entries()) {
      const before = process.cpuUsage();
      const end = performance.now() + ROUND_MS;
      for (; performance.now() < end; sums[index]!.count++) {
        await operation(csrs[sums[index]!.count % csrs.length]!);
      }
      const { user, system } = process.cpuUsage(before);
      sums[index]!.cpuUs += user + system;
    }
  }
  return sums.map(({ count, cpuUs }) => (count * 1e6) / cpuUs);
}

function newPair() {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function ourIssuer(): Operation {
  const { signer } = newIssuer();
  return async (csr) => {
    const { spki } = readCsr(csr);
    const about = { profile: selfEnrolled, commonName: "bench", serialNumber: newSerialNumber(randomIds) };
    return (await issueLeaf({ ...about, spki, now: systemClock.now() }, signer)).pem;
  };
}

/** Imports a device's key, verifies and signs once, over as many octets as a CSR and a leaf have. */
function bareOperations(devices: ReadonlyMap<string, ReturnType<typeof newPair>>): Operation {
  const { privateKey } = newPair();
  const [request, leaf] = [Buffer.alloc(120, 1), Buffer.alloc(420, 2)];
  const presented = new Map(
    [...devices].map(([csr, pair]) => {
      const pem = pair.publicKey.export({ type: "spki", format: "pem" });
      return [csr, { pem, signature: sign("sha256", request, pair.privateKey) }];
    }),
  );
  return (csr) => {
    const { pem, signature } = presented.get(csr)!;
    return verify("sha256", request, createPublicKey(pem), signature) && sign("sha256", leaf, privateKey);
  };
}

/** Issues the same profile with @peculiar/x509 over WebCrypto, as its documentation shows. */
async function libraryIssuer(): Promise<Operation> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const name = "CN=bench issuing";
  const notAfter = new Date(systemClock.now().getTime() + 1e12);
  const about = { name, keys, notAfter, signingAlgorithm: algorithm };
  const issuer = await x509.X509CertificateGenerator.createSelfSigned(about);
  const authority = await x509.AuthorityKeyIdentifierExtension.create(issuer);
  return async (pem) => {
    const csr = new x509.Pkcs10CertificateRequest(pem);
    if (!(await csr.verify())) throw new Error("the CSR does not verify");
    const serialNumber = newSerialNumber(randomIds);
    const leaf = await x509.X509CertificateGenerator.create({
      serialNumber,
      subject: `CN=bench, 2.5.4.5=${serialNumber}`,
      issuer: issuer.subject,
      notBefore: systemClock.now(),
      notAfter,
      publicKey: csr.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.clientAuth], true),
        await x509.SubjectKeyIdentifierExtension.create(csr.publicKey),
        authority,
      ],
    });
    return leaf.toString("pem");
  };
}
