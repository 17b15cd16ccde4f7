import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enroll, type Identity, MusterAgent } from "@muster/agent";
import type { PublicApi } from "./public-api.ts";
import { type Reading, wander, worn } from "./reading.ts";
import type { DemoService } from "./service.ts";
import type { Sinks } from "./sinks.ts";

/** A simulated machine: the real device library over real TLS, with a state folder of its own. */
export interface Pump {
  name: string;
  stateDir: string;
  identity: Identity;
  agent: MusterAgent;
  /** What it says when nothing is wrong with it. */
  sound: Reading;
  /** How far its bearing has gone: 0 is sound. */
  wear: number;
  reading: Reading;
}

/** Who is told when a pump fails, and with what. */
export interface Watch {
  operator: Person;
  leader: Person;
  /** With a key that is for anomalies and tickets alone. */
  api: PublicApi;
  crewId: string;
  controlRoomId: string;
  anomalyId: string;
  ticketId: string;
}

export interface Person {
  id: string;
  email: string;
}

/** What the plant consists of, filled step by step by the story. */
export interface Plant {
  service: DemoService;
  sinks: Sinks;
  folder: string;
  adminPassword: string;
  api: PublicApi;
  deviceTypeId: string;
  claimCode: string;
  pumps: Pump[];
  watch: Watch;
}

export const TENANT = "demo";
export const ADMIN = "admin@demo.example";
export const PUMPS = ["Intake pump", "Boiler feed pump", "Cooling pump", "Sludge pump", "Reserve pump"];
/** The one that wears out. */
const WORN = "Sludge pump";
const MOST_WEAR = 16;

/** A folder for everything the demo writes; removed at its end. */
export function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "muster-demo-"));
}

export function removeFolder(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true });
}

/** Enrolls one pump with a key of its own; the claim code is its only credential. */
export async function enrollPump(plant: Plant, name: string, index: number): Promise<Pump> {
  const stateDir = join(plant.folder, `pump-${index + 1}`);
  const identity = await enroll({
    server: plant.service.baseUrl,
    claimCode: plant.claimCode,
    hardwareFingerprint: fingerprintOf(index),
    hardwareModel: "Simulated pump",
    stateDir,
    caPem: plant.service.ca,
  });
  const sound = { vibration: 1.5 + index / 10, temperature: 40 + index, pressure: 4.2 };
  const agent = new MusterAgent({ stateDir, autoRenew: false });
  return { name, stateDir, identity, agent, sound, wear: 0, reading: sound };
}

export function fingerprintOf(index: number): string {
  return `DEMO-0000-${index + 1}`;
}

export function wornPump({ pumps }: Plant): Pump {
  return pumps.find(({ name }) => name === WORN)!;
}

/** Wears its bearing by so much; one that is worn out is repaired. */
export function age(pump: Pump, by: number): void {
  pump.wear = pump.wear >= MOST_WEAR ? 0 : pump.wear + by;
}

/** Publishes one reading and resolves when it is acknowledged, that is: stored and judged. */
export async function publish(pump: Pump, chance: () => number): Promise<void> {
  pump.reading = wander(pump.reading, worn(pump.sound, pump.wear), chance);
  await pump.agent.report({ ...pump.reading });
}

/** Publishes one reading of every pump. */
export async function publishAll(plant: Plant, chance: () => number): Promise<void> {
  await Promise.all(plant.pumps.map((pump) => publish(pump, chance)));
}
