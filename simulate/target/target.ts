import { readFile } from "node:fs/promises";
import type { Address, DeviceIdentity, Gateway } from "../clients/protocol.ts";
import { type Options, UsageError } from "../options.ts";
import { Api } from "./api.ts";
import { Cluster } from "./cluster.ts";
import { type Enrolled, enrollDevices, readEnrolled, writeEnrolled } from "./enroll.ts";
import { PartMeter } from "./part-meter.ts";

const TENANT = "simulation";
const ADMIN = "admin@simulation.example";
const SCOPES = [
  "provisioning:write",
  "telemetry:read",
  "device-certificates:read",
  "device-certificates:revoke",
  "device-registry:delete",
  "thresholds:write",
  "anomalies:read",
];
/** The devices between two progress lines. */
const PROGRESS_EVERY = 500;

/** The Muster that is loaded, with the devices that load it. */
export interface Target {
  readonly addresses: readonly Address[];
  readonly devices: readonly DeviceIdentity[];
  readonly gateways: readonly Gateway[];
  readonly api: Api;
  /** Only where the simulator has started it. */
  readonly own: { readonly cluster: Cluster; readonly meter: PartMeter } | undefined;
  /** Removes what the simulator has created. */
  close(): Promise<void>;
}

type Progress = (line: string) => void;

/** Starts nodes or takes those of the options, and enrolls devices. After a failure it removes what it created. */
export async function openTarget(options: Options, progress: Progress): Promise<Target> {
  const { start } = options;
  if (start === undefined) return await openNamed(options, progress);
  const cluster = await Cluster.start({ ...options, start }, progress);
  try {
    return await openOwn(cluster, options, progress);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Enrolls devices and creates gateways at nodes that the simulator has started. */
async function openOwn(cluster: Cluster, options: Options, progress: Progress): Promise<Target> {
  const { shell } = cluster;
  const tenant = TENANT;
  await shell("tenant.create", { slug: tenant, name: "Simulation" });
  await shell("user.create", { tenant, email: ADMIN, role: "admin" });
  const topics = { publishTopics: ["telemetry/{deviceId}"], subscribeTopics: ["commands/{deviceId}"] };
  const type = await shell("device-type.create", { tenant, name: "Simulated device", ...topics });
  const newKey = async () =>
    (await shell("key.create", { tenant, user: ADMIN, name: "simulator", scopes: SCOPES })).key;
  const api = new Api(cluster.https, [], { newKey, onWait: waiting(progress) });
  if (options.rules > 0) {
    // Every message of the device type breaks them.
    const rule = { metric: "n", operator: "gte", value: 0, severity: "minor" };
    const body = { name: "Simulation", rules: Array.from({ length: options.rules }, () => rule) };
    const { id } = await api.call(201, "POST", "/thresholds", { body });
    await shell("device-type.update", { id: type.id, thresholdIds: [id] });
  }
  const { devices } = await enroll(api, { ...options, deviceType: type.id }, progress, () => undefined);
  const gateways: Gateway[] = [];
  for (let index = 0; index < (options.subscribers ?? cluster.nodes.length); index++) {
    const filter = `t/${tenant}/telemetry/+`;
    const about = { clientId: `gateway-${index}`, username: `gateway-${index}` };
    const { password } = await shell("mqtt-client.create", { tenant, ...about, publish: [], subscribe: [filter] });
    gateways.push({ ...about, password, filter });
  }
  const meter = new PartMeter(cluster);
  const close = () => {
    meter.stop();
    return cluster.stop();
  };
  return { addresses: cluster.mqtt, devices, gateways, api, own: { cluster, meter }, close };
}

async function openNamed(options: Options, progress: Progress): Promise<Target> {
  const ca = await readGiven("ca", options.ca);
  const keys = linesOf((await readGiven("api-key-file", options.apiKeyFile)) ?? "");
  const gateways = gatewaysIn((await readGiven("gateways", options.gateways)) ?? "");
  const api = new Api({ urls: options.https, ca }, keys, { onWait: waiting(progress) });
  const { keep } = options;
  const kept = keep === undefined ? undefined : await readEnrolled(keep);
  if (kept && kept.devices.length >= options.devices) {
    progress(`${options.devices} of the ${kept.devices.length} devices in ${keep}`);
    return named(options, api, kept, gateways, async () => undefined);
  }
  const created: DeviceIdentity[] = [];
  const remove = () => removeDevices(api, created, progress);
  try {
    const missing = options.devices - (kept?.devices.length ?? 0);
    const fresh = await enroll(api, { ...options, devices: missing }, progress, (device) => created.push(device));
    const all = { brokerUrl: fresh.brokerUrl, devices: [...(kept?.devices ?? []), ...fresh.devices] };
    if (keep !== undefined) await writeEnrolled(keep, all);
    return named(options, api, all, gateways, keep === undefined ? remove : async () => undefined);
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Returns the content of the file that an option names. @throws UsageError where it cannot be read */
async function readGiven(option: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  return await readFile(path, "utf8").catch((error: Error) => {
    throw new UsageError(`The file of --${option} cannot be read: ${error.message}.`);
  });
}

function named(
  { devices, mqtt }: Options,
  api: Api,
  enrolled: Enrolled,
  gateways: readonly Gateway[],
  close: () => Promise<void>,
): Target {
  const broker = new URL(enrolled.brokerUrl);
  const host = broker.hostname.replace(/^\[|\]$/g, "");
  const given = mqtt.map((address) => ({ ...address, servername: host }));
  const addresses = given.length > 0 ? given : [{ host, port: Number(broker.port || 8883) }];
  return { addresses, devices: enrolled.devices.slice(0, devices), gateways, api, own: undefined, close };
}

async function enroll(
  api: Api,
  { devices: count, claimCode, deviceType }: Pick<Options, "devices" | "claimCode" | "deviceType">,
  progress: Progress,
  onEnrolled: (device: DeviceIdentity) => void,
): Promise<Enrolled> {
  progress(`${count} devices enroll`);
  const devices: DeviceIdentity[] = [];
  let broker = "";
  await enrollDevices(api, { devices: count, claimCode, deviceType }, (device, brokerUrl) => {
    devices.push(device);
    broker = brokerUrl;
    onEnrolled(device);
    if (devices.length % PROGRESS_EVERY === 0) progress(`${devices.length} devices are enrolled`);
  });
  return { brokerUrl: broker, devices };
}

async function removeDevices(api: Api, devices: readonly DeviceIdentity[], progress: Progress): Promise<void> {
  const [first] = devices;
  if (first === undefined) return;
  api.cleanUp();
  if (!api.hasKey)
    return progress(`${devices.length} enrolled devices stay, such as ${first.deviceId}: an API key removes them`);
  progress(`${devices.length} devices are removed`);
  let removed = 0;
  try {
    for (const { deviceId } of devices) {
      await api.call(204, "DELETE", `/devices/${deviceId}`, { node: removed });
      if (++removed % PROGRESS_EVERY === 0) progress(`${removed} devices are removed`);
    }
  } catch (error) {
    progress(`${devices.length - removed} enrolled devices stay: ${(error as Error).message}`);
  }
}

function waiting(progress: Progress): (seconds: number) => void {
  return (seconds) => progress(`a rate limit is reached: waiting for ${seconds} s`);
}

/** Returns trimmed lines without empty ones and those that begin with #. */
function linesOf(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}

function gatewaysIn(text: string): Gateway[] {
  return linesOf(text).map((line, index) => {
    const [clientId, username, password, filter, ...more] = line.split(/\s+/);
    if (filter !== undefined && more.length === 0)
      return { clientId: clientId!, username: username!, password: password!, filter };
    const fields = "client id, user name, password, filter";
    throw new UsageError(`Line ${index + 1} of the gateways must have four fields: ${fields}.`);
  });
}
