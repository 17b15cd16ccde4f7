import { type Applicant, enrolled, newApplicant, redemptionBody } from "../../../load/enroll.ts";
import { type Answer, type HttpsClient, openHttps } from "../../../load/https-client.ts";
import { type Load, type Meter, sustain } from "../../../load/measure.ts";
import type { Identity } from "../../../load/mqtt-client.ts";
import type { MusterProcess } from "../../../load/muster.ts";
import { createTenant, type Tenant, USES_A_CLAIM } from "../../../load/tenant.ts";
import { type atMost, bothMs, divided, type Figure, figure, rate, serverMs } from "../../report.ts";
import { setting } from "../../run.ts";

/** Connections over which devices redeem, one request at a time on each. */
export const CONNECTIONS = setting("connections", 32);
/** The devices that have redeemed when a measurement begins and ends: around 1,000 and around 10,000. */
const FEW: Span = [500, 1_500];
const MANY: Span = [9_500, 10_500];
const LONGEST_SECONDS = 600;

type Span = readonly [from: number, upTo: number];

export interface Redemptions {
  /** Redemptions around the 1,000th and around the 10,000th. */
  readonly first: Load;
  readonly last: Load;
  /** The enrolled devices. */
  readonly identities: Identity[];
  readonly tenant: Tenant;
}

/**
 * Devices redeem claims over HTTPS keep-alive, each with a key and a fingerprint of its own, against a fresh server
 * with default settings: some 10,000 of them, so that any cost that grows with the devices shows.
 */
export async function enrollThousands(muster: MusterProcess, meter: Meter): Promise<Redemptions> {
  const tenant = await createTenant(muster, "bench");
  const applicants = Array.from({ length: MANY[1] }, newApplicant);
  const codes = await tenant.newClaims(Math.ceil(applicants.length / USES_A_CLAIM));
  // Each connection has its own loopback address: the server limits the requests of an address.
  const addresses = Array.from({ length: CONNECTIONS }, (_, worker) => `127.0.1.${worker + 1}`);
  const clients = await Promise.all(addresses.map((localAddress) => openHttps({ ...muster.https, localAddress })));
  const answers: Answer[] = [];
  const redeem = redeemer(clients, applicants, codes, answers);
  const redeemed = (upTo: number) =>
    sustain(meter, { workers: CONNECTIONS, seconds: LONGEST_SECONDS }, (worker) => redeem(worker, upTo));
  const measured = async ([from, upTo]: Span): Promise<Load> => {
    await redeemed(from);
    return await redeemed(upTo);
  };
  const [first, last] = [await measured(FEW), await measured(MANY)];
  for (const client of clients) client.close();
  // The answers are read afterwards: the load of step-ca reads no certificates either.
  return { first, last, identities: answers.map((answer, turn) => enrolled(answer, applicants[turn]!)), tenant };
}

/** Returns a function that redeems once, until `upTo` applicants have redeemed. */
function redeemer(
  clients: readonly HttpsClient[],
  applicants: readonly Applicant[],
  codes: readonly string[],
  answers: Answer[],
): (worker: number, upTo: number) => Promise<boolean> {
  let next = 0;
  return async (worker, upTo) => {
    if (next >= upTo) return false;
    const turn = next++;
    // Neighbours use different claims, as the devices of a factory line do not all share one.
    const body = redemptionBody(codes[turn % codes.length]!, applicants[turn]!);
    answers[turn] = await clients[worker]!.send("POST", "/api/provisioning/claim", body);
    return true;
  };
}

/** @param cost the target of the CPU time, at 1,000 and at 10,000 devices alike @param pace that of the rate */
export function redemptionFigures(
  database: string,
  { first, last }: Redemptions,
  { cost, pace }: { cost: ReturnType<typeof atMost>; pace: ReturnType<typeof atMost> },
): Figure[] {
  const cpu = (devices: string, load: Load) =>
    figure(`CPU a redemption at ${devices} devices, ${database}`, bothMs(load), "ms", divided(load, "ms"), cost);
  return [
    figure(`redemptions, ${database}`, rate(last), "/s", pace),
    figure(`server CPU a redemption, ${database}`, serverMs(last), "ms"),
    cpu("1,000", first),
    cpu("10,000", last),
  ];
}
