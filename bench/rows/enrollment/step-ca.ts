import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { type HttpsClient, openHttps } from "../../load/https-client.ts";
import { type Load, meterOf, sustain } from "../../measure.ts";
import type { StepCa } from "../../peers/step-ca.ts";
import { cpuFigure, type Figure } from "../../report.ts";
import { CONNECTIONS } from "./redemption.ts";

const WARM_UP = 500;
const MEASURED = 1_000;

/**
 * Redemptions beside certificates of step-ca with its embedded database. A redemption does more: it also adds a device, leases its client id, and
 * records audit and event.
 *
 * @param database that of the redemptions, and which they were
 */
export async function besideStepCa(redemptions: Load, database: string, stepCa: StepCa): Promise<Figure[]> {
  const load = await stepCaCertificates(stepCa);
  const name = "step-ca, a certificate";
  return [
    {
      name: `redemptions beside step-ca, ${database}`,
      value: redemptions.count / redemptions.seconds,
      unit: "/s",
      peer: { name, value: load.count / load.seconds },
    },
    {
      ...cpuFigure(`CPU a redemption beside step-ca, ${database}`, redemptions, "ms"),
      peer: { name, value: load.serverMs / load.count },
    },
  ];
}

/** Certificates of step-ca by its own interface, over as many connections as redemptions: each CSR with a one-time token. */
async function stepCaCertificates(stepCa: StepCa): Promise<Load> {
  const bodies: string[] = [];
  for (let n = 0; n < WARM_UP + MEASURED; n++) bodies.push(await newRequest(stepCa, `device-${n}`));
  const clients = await Promise.all(Array.from({ length: CONNECTIONS }, () => openHttps(stepCa.https)));
  const meter = meterOf(stepCa.pid);
  let next = 0;
  const signed = (upTo: number) =>
    sustain(meter, { workers: CONNECTIONS, seconds: 120 }, async (worker) => {
      if (next >= upTo) return false;
      await signOne(clients[worker]!, bodies[next++]!);
      return true;
    });
  await signed(WARM_UP);
  const load = await signed(WARM_UP + MEASURED);
  for (const client of clients) client.close();
  return load;
}

async function signOne(client: HttpsClient, body: string): Promise<void> {
  const answer = await client.send("POST", "/1.0/sign", body);
  if (answer.status !== 201) throw new Error(`step-ca answered ${answer.status}: ${answer.body}`);
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Its subject and its one alternative name are those of the token, as step-ca requires. */
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
