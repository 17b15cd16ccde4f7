import type { MusterProcess } from "../peers/muster.ts";
import { enrolled, newApplicant, redemptionBody } from "./enroll.ts";
import { type HttpsClient, openHttps } from "./https-client.ts";
import type { Identity } from "./mqtt-client.ts";
import { type BenchTenant, createClaims, USES_A_CLAIM } from "./tenant.ts";

/** An address may make 600 requests a minute. */
const AN_ADDRESS = 500;

/** Enrolls devices over HTTPS, where their number is no part of what is measured. */
export async function enrollDevices(muster: MusterProcess, tenant: BenchTenant, count: number): Promise<Identity[]> {
  const codes = await createClaims(muster, tenant, count);
  const identities: Identity[] = [];
  let client: HttpsClient | undefined;
  for (let turn = 0; turn < count; turn++) {
    if (turn % AN_ADDRESS === 0) {
      client?.close();
      client = await openHttps({ ...muster.https, localAddress: `127.0.2.${turn / AN_ADDRESS + 1}` });
    }
    const applicant = newApplicant();
    const body = redemptionBody(codes[Math.floor(turn / USES_A_CLAIM)]!, applicant);
    identities.push(enrolled(await client!.send("POST", "/api/provisioning/claim", body), applicant));
  }
  client?.close();
  return identities;
}
