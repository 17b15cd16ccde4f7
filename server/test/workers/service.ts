import { readdirSync, readFileSync } from "node:fs";
import type { MqttClient } from "mqtt";
import { ask } from "../harness/database/postgres.ts";
import { connectMqtt } from "../harness/devices.ts";
import { eventually } from "../harness/eventually.ts";
import { type CrashFixture, type Device, startCrashFixture } from "../harness/processes/crash.ts";

export const WORKERS = 2;

/** The allowed requests per minute of one address to the device endpoints. */
export const REQUESTS = 400;

/** A service of several processes on PostgreSQL. */
export function startWorkers(settings: Record<string, string> = {}): Promise<CrashFixture> {
  const env = {
    MUSTER_WORKERS: String(WORKERS),
    MUSTER_DEVICE_REQUESTS_PER_MINUTE: String(REQUESTS),
    MUSTER_TRUSTED_PROXIES: "127.0.0.1",
    ...settings,
  };
  return startCrashFixture({ faulty: false, env });
}

export interface Process {
  pid: number;
  /** A process name such as `jobs` or `serve-1`. */
  name: string;
}

/** The running processes that the supervisor has started. */
export function processesOf(service: CrashFixture): Process[] {
  const { pid } = service.server;
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" "))
    .filter(Boolean)
    .map((child) => ({ pid: Number(child), name: nameOf(Number(child)) }))
    .filter((each): each is Process => each.name !== undefined);
}

/** A process that has ended no longer has arguments. */
function nameOf(pid: number): string | undefined {
  try {
    const [, name] = /child\.ts\0\w+\0([\w-]+)\0/.exec(readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? [];
    return name;
  } catch {
    return undefined;
  }
}

/** Resolves when the process with this name is another one than `pid`. */
export async function replaced(service: CrashFixture, { name, pid }: Process): Promise<Process> {
  const found = await eventually(async () =>
    processesOf(service).find((each) => each.name === name && each.pid !== pid),
  );
  if (!found) throw new Error(`${name} was not started again`);
  return found;
}

/** Returns the node that serves a client now. */
export async function nodeOf(service: CrashFixture, clientId: string): Promise<string | undefined> {
  const rows = await ask<{ node: string }>(
    service.databaseUrl!,
    `SELECT node_id AS node FROM mqtt_sessions WHERE client_id = '${clientId}'`,
  );
  return rows[0]?.node;
}

/** Reconnects a client until a node other than the given one serves it; the kernel picks the process. */
export async function connectElsewhere(
  service: CrashFixture,
  device: Pick<Device, "deviceId" | "fullchain" | "key" | "ca">,
  than: string | undefined,
): Promise<{ client: MqttClient; node: string }> {
  for (;;) {
    const client = await connectMqtt(service.server, device);
    const node = await nodeOf(service, device.deviceId);
    if (node !== undefined && node !== than) return { client, node };
    await client.endAsync();
  }
}

/** Connects a service that subscribes to the telemetry of every device. */
export async function gateway(service: CrashFixture, clientId: string, connect = connectMqtt): Promise<MqttClient> {
  const { password } = await service.server.command("mqtt-client.create", {
    tenant: "acme",
    clientId,
    username: clientId,
    publish: [],
    subscribe: [TELEMETRY],
  });
  const identity = { deviceId: clientId, fullchain: "", key: "", ca: service.server.ca };
  return await connect(service.server, identity, { username: clientId, password });
}

export const TELEMETRY = "t/acme/telemetry/+";

/** Returns the stored numbers of a device's metric `n`, ordered by time. */
export async function storedOf(service: CrashFixture, deviceId: string): Promise<number[]> {
  const rows = await ask<{ number: number }>(
    service.databaseUrl!,
    `SELECT t.number FROM shared_readings t JOIN devices d ON d.uid = t.device_uid
      WHERE d.id = '${deviceId}' AND t.metric = 'n' ORDER BY t.ts`,
  );
  return rows.map(({ number }) => Number(number));
}
