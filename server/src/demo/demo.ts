import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { randomIds } from "../lib/ids.ts";
import { isEscalated } from "./fault-story.ts";
import { ADMIN, age, newFolder, type Plant, publishAll, removeFolder, type Watch, wornPump } from "./plant.ts";
import { PublicApi } from "./public-api.ts";
import { startService } from "./service.ts";
import { type Sinks, startSinks } from "./sinks.ts";
import type { Step } from "./step.ts";
import { story } from "./story.ts";
import { untilStopped } from "./until-stopped.ts";

const PUBLISH_EVERY_MS = 2_000;
/** The worn pump passes its limit after some 45 s and is repaired 85 s later: time for a second step of escalation. */
const WEAR_PER_READING = 0.25;
/** By then the escalation's next step would have come, a minute after the anomaly. */
const STOPPED_MS = 65_000;
const STOPPED = "✓ a minute has passed: nobody else was told of the anomaly that was acknowledged";
const ESCALATED = "✗ a minute has passed: the anomaly was acknowledged and its escalation went on all the same";

export interface DemoOptions {
  /** Unattended: one line a step, then everything is taken down again. */
  check: boolean;
  /** The environment the service starts with, without any `MUSTER_…` of the caller's. */
  env: Record<string, string>;
  print(line: string): void;
}

/**
 * Starts the whole platform on its embedded default in a folder of its own and shows the main job through the public
 * interfaces with simulated devices. Resolves with the exit code: 0 only when every step held.
 */
export async function demo(options: DemoOptions): Promise<number> {
  const started = systemClock.monotonicMs();
  const folder = await newFolder();
  const stopped = untilStopped();
  let sinks: Sinks | undefined;
  let plant: Plant | undefined;
  try {
    sinks = await startSinks(folder, options.check ? () => undefined : options.print);
    options.print("Starting Muster on its embedded database …");
    const service = await startService(environment(options.env, sinks), join(folder, "data"));
    plant = emptyPlant(service, sinks, folder);
    const interrupted = stopped.then(() => Promise.reject(new Error("interrupted")));
    await Promise.race([tell(plant, story(chance), options.print), interrupted]);
    const seconds = ((systemClock.monotonicMs() - started) / 1000).toFixed(1);
    options.print(`All steps held, in ${seconds} s.`);
    if (!options.check) await stayUp(plant, stopped, options.print);
    return 0;
  } catch (error) {
    options.print(`✗ ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    await takeDown(plant);
    sinks?.close();
    await removeFolder(folder);
  }
}

function environment(env: Record<string, string>, sinks: Sinks): Record<string, string> {
  return {
    ...env,
    MUSTER_HTTP_HOST: "127.0.0.1",
    MUSTER_HTTP_PORT: "0",
    MUSTER_MQTT_HOST: "127.0.0.1",
    MUSTER_MQTT_PORT: "0",
    MUSTER_METRICS_PORT: "0",
    MUSTER_LOG_LEVEL: "info",
    ...sinks.env,
  };
}

function emptyPlant(service: Plant["service"], sinks: Sinks, folder: string): Plant {
  const api = new PublicApi(service.baseUrl, service.ca, "");
  const nobody = { id: "", email: "" };
  const ids = { crewId: "", controlRoomId: "", anomalyId: "", ticketId: "" };
  const watch: Watch = { operator: nobody, leader: nobody, api, ...ids };
  return { service, sinks, folder, adminPassword: "", api, deviceTypeId: "", claimCode: "", pumps: [], watch };
}

async function tell(plant: Plant, steps: Step[], print: (line: string) => void): Promise<void> {
  for (const [index, step] of steps.entries()) {
    const label = `${String(index + 1).padStart(2)}. ${step.title}`;
    try {
      print(`✓ ${label}: ${await step.run(plant)}`);
    } catch (error) {
      throw new Error(`${label}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
}

/** Keeps the plant running until Ctrl-C. */
async function stayUp(plant: Plant, stopped: Promise<void>, print: (line: string) => void): Promise<void> {
  const { service } = plant;
  print(`
The plant goes on publishing until you press Ctrl-C. The sludge pump wears out again within a minute: the mails and webhooks
about it are shown here as they arrive. Nobody acknowledges, so a minute later the leader is told too.

  HTTPS and API   ${service.baseUrl}
  MQTT over TLS   ${service.brokerUrl}
  CA for both     ${join(service.dataDir, "tls", "ca.pem")}
  admin           ${ADMIN}, one-time password ${plant.adminPassword}
  shell           MUSTER_DATA_DIR=${service.dataDir} npx muster --help
`);
  const timer = setInterval(() => {
    age(wornPump(plant), WEAR_PER_READING);
    publishAll(plant, chance).catch(() => undefined);
  }, PUBLISH_EVERY_MS);
  const later = setTimeout(() => print(isEscalated(plant) ? ESCALATED : STOPPED), STOPPED_MS);
  await stopped;
  clearInterval(timer);
  clearTimeout(later);
}

async function takeDown(plant: Plant | undefined): Promise<void> {
  if (!plant) return;
  await Promise.all(plant.pumps.map((pump) => pump.agent.close()));
  await plant.service.stop();
}

function chance(): number {
  return randomIds.bytes(4).readUInt32BE() / 2 ** 32;
}
