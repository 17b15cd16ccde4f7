/** The story that every artifact has to pass: enroll, connect, publish, renew, and keep its data over a restart. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { run } from "../run.ts";
import { type Installation, type RunningService, startService, subcommand } from "./service.ts";

/** An installed agent: the command line up to its subcommand. */
export interface InstalledAgent {
  command: readonly string[];
  cwd: string;
  env: Record<string, string>;
}

/** A device of the story, and how to read what it published. */
interface Told {
  deviceId: string;
  apiKey: string;
  /** The folder in which the agent keeps its state. */
  stateDir: string;
}

/** Runs the service twice: enrolls, publishes and renews in the first run, and finds everything again in the second. */
export async function tellStory(installation: Installation, agent: InstalledAgent, tenant: string): Promise<void> {
  const told = await during(installation, async (service) => {
    const first = await enroll(service, installation, agent, tenant);
    await publish(agent, first, 21.5);
    await runAgent(agent, ["renew", "--state-dir", first.stateDir]);
    await publish(agent, first, 22.5);
    assert.deepEqual(await latest(service, first), { temperature: 22.5 });
    return { ...first, ports: portsOf(service) };
  });
  // The device knows the address of its broker, so the ports have to stay.
  await during({ ...installation, env: { ...installation.env, ...told.ports } }, async (service) => {
    assert.deepEqual(await latest(service, told), { temperature: 22.5 });
    await publish(agent, told, 23.5);
    assert.deepEqual(await latest(service, told), { temperature: 23.5 });
  });
}

/** Starts the service, does something with it and stops it. @throws Error if the service does not end with 0 */
export async function during<T>(installation: Installation, act: (service: RunningService) => Promise<T>): Promise<T> {
  const service = await startService(installation);
  let result: T;
  try {
    result = await act(service);
  } catch (error) {
    await service.stop().catch(() => undefined);
    throw error;
  }
  await service.stop();
  return result;
}

/** Makes a tenant with one device type and one API key, and enrolls a device. */
async function enroll(
  service: RunningService,
  installation: Installation,
  agent: InstalledAgent,
  tenant: string,
): Promise<Told> {
  const muster = (...args: string[]) => subcommand(installation, ...args);
  const own = ["--tenant", tenant];
  const email = `you@${tenant}.example`;
  await muster("tenant", "create", tenant, "--name", tenant);
  await muster("user", "create", ...own, "--email", email, "--role", "admin");
  const type = await muster("device-type", "create", ...own, "--name", "Pump", "--topic", "telemetry/{deviceId}");
  const scopes = ["--scope", "devices:read", "--scope", "telemetry:read"];
  const { key } = await muster("key", "create", ...own, "--user", email, "--name", "check", ...scopes);
  const { claimCode } = await muster("claim", "create", ...own, "--name", "Pump 1", "--type", type.id!);
  const stateDir = join(agent.cwd, `device-${tenant}`);
  const to = ["--server", service.httpUrl, "--ca", service.caFile, "--state-dir", stateDir];
  const hardware = ["--fingerprint", `SN-${tenant}`, "--model", "pump-3000"];
  await runAgent(agent, ["enroll", ...to, "--claim", claimCode!, ...hardware]);
  return { deviceId: deviceIn(stateDir), apiKey: key!, stateDir };
}

function portsOf({ httpUrl, brokerUrl }: RunningService): Record<string, string> {
  return { MUSTER_HTTP_PORT: new URL(httpUrl).port, MUSTER_MQTT_PORT: new URL(brokerUrl).port };
}

/** Publishes one reading from standard input, as `echo … | muster-agent run` does. */
async function publish(agent: InstalledAgent, { stateDir }: Told, temperature: number): Promise<void> {
  const line = JSON.stringify({ temperature });
  const words = [...agent.command, "run", "--state-dir", stateDir].map((word) => `'${word}'`);
  await run("sh", ["-c", `echo '${line}' | ${words.join(" ")}`], agent);
}

async function runAgent({ command, cwd, env }: InstalledAgent, args: string[]): Promise<string> {
  const [program, ...words] = [...command, ...args];
  return await run(program!, words, { cwd, env });
}

function deviceIn(stateDir: string): string {
  return JSON.parse(readFileSync(join(stateDir, "device.json"), "utf8")).deviceId;
}

async function latest({ httpUrl, caFile }: RunningService, { deviceId, apiKey }: Told) {
  const { items } = (await get(`${httpUrl}/api/v1/devices/${deviceId}/latest`, { apiKey, caFile })) as {
    items: { metric: string; value: unknown }[];
  };
  return Object.fromEntries(items.map(({ metric, value }) => [metric, value]));
}

/** Gets JSON from the service. @throws Error unless the answer is 200 */
export async function get(url: string, { apiKey, caFile }: { apiKey?: string; caFile: string }): Promise<unknown> {
  const headers = apiKey === undefined ? {} : { "x-api-key": apiKey };
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const asked = request(url, { ca: readFileSync(caFile), headers, agent: false }, (answer) => {
    let text = "";
    answer.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    answer.once("end", () => resolve({ status: answer.statusCode!, text }));
  });
  asked.once("error", reject).end();
  const { status, text } = await promise;
  if (status !== 200) throw new Error(`GET ${url} answered ${status}: ${text}`);
  return JSON.parse(text);
}
