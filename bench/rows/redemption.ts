import { type Applicant, enrolled, newApplicant, redemptionBody } from "../load/enroll.ts";
import { type HttpsClient, openHttps } from "../load/https-client.ts";
import type { Identity } from "../load/mqtt-client.ts";
import { createClaims, createTenant, USES_A_CLAIM } from "../load/tenant.ts";
import { sustain } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";

const WORKERS = 32;
const WARM_UP = 2000;

export interface Redemptions {
  readonly figures: Figure[];
  /** The devices that were enrolled. */
  readonly identities: Identity[];
  readonly deviceTypeId: string;
  newKey(): string;
}

/**
 * Devices redeem claims over HTTPS keep-alive, each with a key and a fingerprint of its own, against a server with
 * default settings. `most` bounds how many keys are made beforehand; `seconds` ends the row sooner.
 */
export async function redemptions(
  muster: MusterProcess,
  database: string,
  { most, seconds, targetMs }: { most: number; seconds: number; targetMs?: number },
): Promise<Redemptions> {
  const tenant = createTenant(muster);
  const applicants = Array.from({ length: most + WARM_UP }, newApplicant);
  const codes = await createClaims(muster, tenant, applicants.length);
  const clients = await Promise.all(
    Array.from({ length: WORKERS }, (_, worker) => openHttps(fromAddress(muster, worker))),
  );
  const identities: Identity[] = [];
  const redeem = redeemer(clients, applicants, codes, identities);

  await sustain(muster.pid, { workers: WORKERS, seconds: 60 }, (worker) => redeem(worker, WARM_UP));
  const load = await sustain(muster.pid, { workers: WORKERS, seconds }, (worker) => redeem(worker, applicants.length));
  for (const client of clients) client.close();

  const cpu = load.cpuMs / load.count;
  const target = targetMs === undefined ? {} : { target: { of: "value", atMost: targetMs } as const };
  return {
    figures: [
      { name: `redemptions, ${database}`, value: load.count / load.seconds, unit: "/s" },
      { name: `server CPU a redemption, ${database}`, value: cpu, unit: "ms", ...target },
    ],
    identities,
    deviceTypeId: tenant.deviceTypeId,
    newKey: () => tenant.newKey(),
  };
}

/** Each connection has its own loopback address: an address may make 600 requests a minute. */
function fromAddress({ https }: MusterProcess, worker: number) {
  return { ...https, localAddress: `127.0.1.${worker + 1}` };
}

/** One redemption a call, until `upTo` applicants have redeemed. */
function redeemer(
  clients: readonly HttpsClient[],
  applicants: readonly Applicant[],
  codes: readonly string[],
  identities: Identity[],
): (worker: number, upTo: number) => Promise<boolean> {
  let next = 0;
  return async (worker, upTo) => {
    if (next >= upTo) return false;
    const turn = next++;
    const applicant = applicants[turn]!;
    // Neighbours use different claims, as the devices of a factory line do not all share one.
    const code = codes[turn % codes.length]!;
    if (Math.floor(turn / codes.length) >= USES_A_CLAIM) throw new Error("too few claims were made");
    const answer = await clients[worker]!.send("POST", "/api/provisioning/claim", redemptionBody(code, applicant));
    identities.push(enrolled(answer, applicant));
    return true;
  };
}
