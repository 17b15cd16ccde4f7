import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { makeCsr } from "../../../agent/src/csr.ts";
import { newIssuer } from "../../../load/certificates.ts";
import { systemClock } from "../../../server/src/lib/clock.ts";
import { randomIds } from "../../../server/src/lib/ids.ts";
import { issueLeaf, newSerialNumber, readCsr, selfEnrolled } from "../../../server/src/pki/pki.ts";
import { beside, type Figure, figure, timesAtLeast } from "../../report.ts";

const ROUNDS = 6;
const ROUND_MS = 250;

/**
 * CSR PEM in, leaf PEM out, on one thread, beside its unavoidable operations. The key of a CSR is new to the process,
 * and its import and first verification cost more than later ones, so the floor imports each key too.
 */
export async function csrToLeaf(): Promise<Figure[]> {
  const devices = new Map(Array.from({ length: 200 }, newPair).map((pair) => [makeCsr(pair.privateKey), pair]));
  const [ours, floor] = await perCpuSecond([ourIssuer(), bareOperations(devices)], [...devices.keys()]);
  const peer = beside("key import + verify + sign alone", floor);
  return [figure("CSR to leaf, against the floor", ours!, "/s of CPU", peer, timesAtLeast(0.7))];
}

type Operation = (csr: string) => unknown;

/** Returns operations per second of CPU time, measured in turns: neither load nor warm-up favours one of them. */
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
