import { generateKeyPairSync, type KeyObject, randomUUID } from "node:crypto";
import { makeCsr } from "../../agent/src/csr.ts";
import type { Answer } from "./https-client.ts";
import type { Identity } from "./mqtt-client.ts";

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

export function newApplicant(): Applicant {
  const privateKey = newKey();
  const fields = {
    hardwareFingerprint: randomUUID(),
    hardwareModel: "bench",
    agentVersion: "1.0.0",
    csr: makeCsr(privateKey),
  };
  return { privateKey, fields, rest: `",${JSON.stringify(fields).slice(1)}` };
}

export function redemptionBody(claimCode: string, applicant: Applicant): string {
  return `{"claimCode":"${claimCode}${applicant.rest}`;
}

/** @returns what the device connects with. @throws Error on any answer but a certificate */
export function enrolled(answer: Answer, applicant: Applicant): Identity {
  if (answer.status !== 200) throw new Error(`a redemption was answered with ${answer.status}: ${answer.body}`);
  const { deviceId, mqtt } = JSON.parse(answer.body);
  return {
    deviceId,
    key: applicant.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    fullchain: mqtt.clientCert + mqtt.clientCertChain,
    topic: mqtt.publishTopics[0],
  };
}
