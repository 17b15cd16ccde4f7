import { type Applicant, enrolled, newApplicant, redemptionBody } from "../../load/enroll.ts";
import { type Answer, type HttpsClient, openHttps } from "../../load/https-client.ts";
import type { Identity } from "../../load/mqtt-client.ts";
import { createClaims, createTenant, USES_A_CLAIM } from "../../load/tenant.ts";
import { type Load, meterOf, sustain } from "../../measure.ts";
import type { MusterProcess } from "../../peers/muster.ts";
import { cpuFigure, type Figure } from "../../report.ts";
import { setting } from "../../run.ts";

/** Connections over which devices redeem, one request at a time on each. */
export const CONNECTIONS = setting("connections", 32);
/** Devices that have redeemed when a measurement begins and ends: around 1,000 and around 10,000. */
const FEW: Span = [500, 1_500];
const MANY: Span = [9_500, 10_500];

type Span = readonly [from: number, upTo: number];

/** What a redemption may cost, CPU of server and database together at 1,000 and at 10,000 devices, and how many a second there are. */
export interface RedemptionTargets {
  readonly cpuMs: number;
  readonly perSecond?: number;
}

/** The database of the server that is measured. */
export interface MeasuredDatabase {
  readonly name: string;
  /** Reads its CPU time, if it has processes of its own. */
  readonly cpuMs?: () => number;
}

export interface Redemptions {
  readonly figures: Figure[];
  /** Those around the 1,000th. */
  readonly first: Load;
  /** Those around the 10,000th. */
  readonly last: Load;
  /** The devices that were enrolled. */
  readonly identities: Identity[];
  readonly deviceTypeId: string;
  newKey(): string;
}

/**
 * Devices redeem claims over HTTPS keep-alive, each with a key and a fingerprint of its own, against a fresh server with default
 * settings: some 10,000 of them, so that what grows with the devices shows. A redemption costs the same at any number.
 */
export async function redemptions(
  muster: MusterProcess,
  { name, cpuMs }: MeasuredDatabase,
  targets?: RedemptionTargets,
): Promise<Redemptions> {
  const tenant = createTenant(muster);
  const applicants = Array.from({ length: MANY[1] }, newApplicant);
  const codes = await createClaims(muster, tenant, applicants.length);
  const clients = await Promise.all(
    Array.from({ length: CONNECTIONS }, (_, worker) => openHttps(fromAddress(muster, worker))),
  );
  const answers: Answer[] = [];
  const redeem = redeemer(clients, applicants, codes, answers);

  const meter = meterOf(muster.pid, cpuMs);
  const redeemed = (upTo: number) =>
    sustain(meter, { workers: CONNECTIONS, seconds: LONGEST_SECONDS }, (worker) => redeem(worker, upTo));
  const measured = async ([from, upTo]: Span): Promise<Load> => {
    await redeemed(from);
    return await redeemed(upTo);
  };
  const [few, many] = [await measured(FEW), await measured(MANY)];
  for (const client of clients) client.close();
  return {
    figures: figuresOf(name, few, many, targets),
    first: few,
    last: many,
    // Read afterwards: the load of step-ca reads no certificates either.
    identities: answers.map((answer, turn) => enrolled(answer, applicants[turn]!)),
    deviceTypeId: tenant.deviceTypeId,
    newKey: () => tenant.newKey(),
  };
}

const LONGEST_SECONDS = 600;

function figuresOf(database: string, few: Load, many: Load, targets?: RedemptionTargets): Figure[] {
  const rate = targets?.perSecond === undefined ? {} : { target: { of: "value", atLeast: targets.perSecond } as const };
  const cost = targets === undefined ? {} : { target: { of: "value", atMost: targets.cpuMs } as const };
  const cpu = (devices: string, load: Load): Figure => ({
    ...cpuFigure(`CPU a redemption at ${devices} devices, ${database}`, load, "ms"),
    ...cost,
  });
  return [
    { name: `redemptions, ${database}`, value: many.count / many.seconds, unit: "/s", ...rate },
    { name: `server CPU a redemption, ${database}`, value: many.serverMs / many.count, unit: "ms" },
    cpu("1,000", few),
    cpu("10,000", many),
  ];
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
  answers: Answer[],
): (worker: number, upTo: number) => Promise<boolean> {
  let next = 0;
  return async (worker, upTo) => {
    if (next >= upTo) return false;
    const turn = next++;
    const applicant = applicants[turn]!;
    // Neighbours use different claims, as the devices of a factory line do not all share one.
    const code = codes[turn % codes.length]!;
    if (Math.floor(turn / codes.length) >= USES_A_CLAIM) throw new Error("too few claims were made");
    answers[turn] = await clients[worker]!.send("POST", "/api/provisioning/claim", redemptionBody(code, applicant));
    return true;
  };
}
