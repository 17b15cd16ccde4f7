import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { openHttps } from "../../../load/https-client.ts";
import { type Load, sustain } from "../../../load/measure.ts";
import { meterOf } from "../../../load/processes.ts";
import type { StepCa } from "../../peers/step-ca.ts";
import { beside, bothMs, divided, type Figure, figure, rate } from "../../report.ts";
import { CONNECTIONS } from "./redemption.ts";

const WARM_UP = 500;
const MEASURED = 1_000;
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Redemptions beside certificates of step-ca with its embedded database. A redemption does more: it also adds a device,
 * leases its client id, and records audit and event.
 */
export async function besideStepCa(redemptions: Load, database: string, stepCa: StepCa): Promise<Figure[]> {
  const load = await stepCaCertificates(stepCa);
  const name = "step-ca, a certificate";
  const cpu = `CPU a redemption beside step-ca, ${database}`;
  return [
    figure(`redemptions beside step-ca, ${database}`, rate(redemptions), "/s", beside(name, rate(load))),
    figure(cpu, bothMs(redemptions), "ms", divided(redemptions, "ms"), beside(name, bothMs(load))),
  ];
}

/** Requests certificates over as many connections as redemptions: each CSR with a one-time token. */
async function stepCaCertificates(stepCa: StepCa): Promise<Load> {
  const bodies: string[] = [];
  for (let n = 0; n < WARM_UP + MEASURED; n++) bodies.push(await newRequest(stepCa, `device-${n}`));
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openHttps(stepCa.https)));
  let next = 0;
  const signed = (upTo: number) =>
    sustain(meterOf(stepCa.pid), { workers: CONNECTIONS, seconds: 120 }, async (worker) => {
      if (next >= upTo) return false;
      const { status, body } = await clients[worker]!.send("POST", "/1.0/sign", bodies[next++]!);
      if (status !== 201) throw new Error(`step-ca answered ${status}: ${body}`);
      return true;
    });
  await signed(WARM_UP);
  const load = await signed(WARM_UP + MEASURED);
  for (const client of clients) client.close();
  return load;
}

/** Subject and alternative name are those of the token, as step-ca requires. */
async function newRequest(stepCa: StepCa, subject: string): Promise<string> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const csr = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${subject}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: "dns", value: subject }])],
  });
  return JSON.stringify({ csr: csr.toString("pem"), ott: stepCa.tokenFor(subject) });
}
