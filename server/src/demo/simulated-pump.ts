import { join } from "node:path";
import { enroll, type Identity, MusterAgent } from "@muster/agent";
import { nextReading, type Reading, wornReading } from "./reading.ts";
import type { DemoService } from "./service.ts";

/** A simulated device: the real agent library over real TLS, with a state folder of its own. */
export interface SimulatedPump {
  name: string;
  stateDir: string;
  identity: Identity;
  agent: MusterAgent;
  /** Its mean reading without wear. */
  normal: Reading;
  /** The wear of its bearing: 0 is none, 6 exceeds every limit. */
  wear: number;
  reading: Reading;
}

export const PUMPS = ["Intake pump", "Boiler feed pump", "Cooling pump", "Sludge pump", "Reserve pump"];
/** The pump that wears out. */
const FAILING = "Sludge pump";
const MAX_WEAR = 16;

/** The parts of the demo that an enrollment needs. */
interface Enrollment {
  service: DemoService;
  claimCode: string;
  folder: string;
}

/** Enrolls one pump with its own key; the claim code is its only credential. */
export async function enrollPump(given: Enrollment, name: string, index: number): Promise<SimulatedPump> {
  const options = enrollOptions(given, { fingerprint: fingerprintOf(index), stateFolder: `pump-${index + 1}` });
  const { stateDir } = options;
  const identity = await enroll(options);
  const normal = { vibration: 1.5 + index / 10, temperature: 40 + index, pressure: 4.2 };
  const agent = new MusterAgent({ stateDir, autoRenew: false });
  return { name, stateDir, identity, agent, normal, wear: 0, reading: normal };
}

/**
 * Returns the agent's options for enrolling a device with this fingerprint. Its state is in a sub-folder of the demo's
 * folder.
 */
export function enrollOptions(
  { service, claimCode, folder }: Enrollment,
  { fingerprint, stateFolder }: { fingerprint: string; stateFolder: string },
) {
  return {
    server: service.baseUrl,
    claimCode,
    hardwareFingerprint: fingerprint,
    hardwareModel: "Simulated pump",
    stateDir: join(folder, stateFolder),
    caPem: service.ca,
  };
}

export function fingerprintOf(index: number): string {
  return `DEMO-0000-${index + 1}`;
}

export function failingPump(pumps: readonly SimulatedPump[]): SimulatedPump {
  return pumps.find(({ name }) => name === FAILING)!;
}

/** Adds wear to a pump's bearing; a bearing at the maximum is replaced. */
export function wearDown(pump: SimulatedPump, by: number): void {
  pump.wear = pump.wear >= MAX_WEAR ? 0 : pump.wear + by;
}

/** Publishes one reading. Resolves with the PUBACK: the reading is then stored and its rules are evaluated. */
export async function publish(pump: SimulatedPump, random: () => number): Promise<void> {
  pump.reading = nextReading(pump.reading, wornReading(pump.normal, pump.wear), random);
  await pump.agent.report({ ...pump.reading });
}

/** Publishes one reading of every pump. */
export async function publishAll(pumps: readonly SimulatedPump[], random: () => number): Promise<void> {
  await Promise.all(pumps.map((pump) => publish(pump, random)));
}
