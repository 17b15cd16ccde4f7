import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { enroll, type Identity, MusterAgent } from "@muster/agent";
import type { PublicApi } from "./public-api.ts";
import type { DemoService } from "./service.ts";

/** A simulated machine: the real device library over real TLS, with a state folder of its own. */
export interface Pump {
  name: string;
  stateDir: string;
  identity: Identity;
  agent: MusterAgent;
  reading: Reading;
}

export interface Reading {
  vibration: number;
  temperature: number;
  pressure: number;
}

/** What the plant consists of, filled step by step by the story. */
export interface Plant {
  service: DemoService;
  folder: string;
  adminPassword: string;
  api: PublicApi;
  deviceTypeId: string;
  claimCode: string;
  pumps: Pump[];
}

export const PUMPS = ["Intake pump", "Boiler feed pump", "Cooling pump", "Sludge pump", "Reserve pump"];

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
  const reading = { vibration: 1.5 + index / 10, temperature: 40 + index, pressure: 4.2 };
  return { name, stateDir, identity, agent: new MusterAgent({ stateDir, autoRenew: false }), reading };
}

export function fingerprintOf(index: number): string {
  return `DEMO-0000-${index + 1}`;
}

/** The next reading: each value wanders a little around its last. `chance` is in 0…1. */
export function wander(reading: Reading, chance: () => number): Reading {
  const step = (value: number, by: number) => Math.round((value + (chance() - 0.5) * by) * 100) / 100;
  return {
    vibration: step(reading.vibration, 0.2),
    temperature: step(reading.temperature, 0.5),
    pressure: step(reading.pressure, 0.1),
  };
}

/** Publishes one reading of every pump and resolves when all are acknowledged, that is: stored. */
export async function publishAll(plant: Plant, chance: () => number): Promise<void> {
  await Promise.all(
    plant.pumps.map((pump) => {
      pump.reading = wander(pump.reading, chance);
      return pump.agent.report({ ...pump.reading });
    }),
  );
}
