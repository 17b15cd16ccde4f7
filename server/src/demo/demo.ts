import { join } from "node:path";
import { systemClock } from "../lib/clock.ts";
import { randomIds } from "../lib/ids.ts";
import { newFolder, type Plant, publishAll, removeFolder } from "./plant.ts";
import { PublicApi } from "./public-api.ts";
import { startService } from "./service.ts";
import { type Step, story } from "./story.ts";

const PUBLISH_EVERY_MS = 2_000;

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
  let plant: Plant | undefined;
  try {
    options.print("Starting Muster on its embedded database …");
    const service = await startService(environment(options.env), join(folder, "data"));
    plant = emptyPlant(service, folder);
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
    await removeFolder(folder);
  }
}

function environment(env: Record<string, string>): Record<string, string> {
  return {
    ...env,
    MUSTER_HTTP_HOST: "127.0.0.1",
    MUSTER_HTTP_PORT: "0",
    MUSTER_MQTT_HOST: "127.0.0.1",
    MUSTER_MQTT_PORT: "0",
    MUSTER_METRICS_PORT: "0",
    MUSTER_LOG_LEVEL: "info",
  };
}

function emptyPlant(service: Plant["service"], folder: string): Plant {
  const api = new PublicApi(service.baseUrl, service.ca, "");
  return { service, folder, adminPassword: "", api, deviceTypeId: "", claimCode: "", pumps: [] };
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
The plant goes on publishing until you press Ctrl-C.

  HTTPS and API   ${service.baseUrl}
  MQTT over TLS   ${service.brokerUrl}
  CA for both     ${join(service.dataDir, "tls", "ca.pem")}
  admin           admin@demo.example, one-time password ${plant.adminPassword}
  shell           MUSTER_DATA_DIR=${service.dataDir} npx muster --help
`);
  const timer = setInterval(() => void publishAll(plant, chance).catch(() => undefined), PUBLISH_EVERY_MS);
  await stopped;
  clearInterval(timer);
}

async function takeDown(plant: Plant | undefined): Promise<void> {
  if (!plant) return;
  await Promise.all(plant.pumps.map((pump) => pump.agent.close()));
  await plant.service.stop();
}

/** Listens on: npm passes the terminal's Ctrl-C on a second time, which must not end us in the middle of taking down. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGINT", () => resolve());
    process.on("SIGTERM", () => resolve());
  });
}

function chance(): number {
  return randomIds.bytes(4).readUInt32BE() / 2 ** 32;
}
