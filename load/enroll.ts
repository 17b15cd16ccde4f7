import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { makeCsr } from "../agent/src/csr.ts";
import { type Answer, type HttpsTarget, openHttps } from "./https-client.ts";
import type { Identity } from "./mqtt-client.ts";

/** Redemptions at a time: more keep no core busier. */
const PARALLEL = 4;

/** A device with a key and a CSR, ready to redeem a claim. */
export interface Applicant {
  readonly privateKey: KeyObject;
  /** The redemption request (spec 2.2) without its claim code. */
  readonly fields: object;
  /** The same as text: `{"claimCode":"` + code + rest. */
  readonly rest: string;
}

export function newKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
}

export function keyPem(key: KeyObject): string {
  return key.export({ format: "pem", type: "pkcs8" }).toString();
}

export function newApplicant(): Applicant {
  const privateKey = newKey();
  const csr = makeCsr(privateKey);
  const fields = { hardwareFingerprint: randomUUID(), hardwareModel: "bench", agentVersion: "1.0.0", csr };
  return { privateKey, fields, rest: `",${JSON.stringify(fields).slice(1)}` };
}

export function redemptionBody(claimCode: string, applicant: Applicant): string {
  return `{"claimCode":"${claimCode}${applicant.rest}`;
}

/** Returns the credentials that an answer contains. @throws Error on any answer but a certificate */
export function enrolled(answer: Answer, applicant: Applicant): Identity {
  if (answer.status !== 200) throw new Error(`a redemption was answered with ${answer.status}: ${answer.body}`);
  const { deviceId, mqtt } = JSON.parse(answer.body);
  const fullchain = mqtt.clientCert + mqtt.clientCertChain;
  return { deviceId, key: keyPem(applicant.privateKey), fullchain, topic: mqtt.publishTopics[0] };
}

/** Redeems a claim `count` times, each for a device of its own. */
export async function redeemAll(target: HttpsTarget, claimCode: string, count: number): Promise<Identity[]> {
  const identities: Identity[] = [];
  let started = 0;
  const worker = async () => {
    const client = await openHttps(target);
    while (started++ < count) {
      const applicant = newApplicant();
      const answer = await client.send("POST", "/api/provisioning/claim", redemptionBody(claimCode, applicant));
      identities.push(enrolled(answer, applicant));
    }
    client.close();
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, count) }, worker));
  return identities;
}
