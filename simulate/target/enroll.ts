import { readFile, writeFile } from "node:fs/promises";
import { keyPem, newApplicant } from "../../load/enroll.ts";
import { USES_A_CLAIM } from "../../load/tenant.ts";
import type { DeviceIdentity } from "../clients/protocol.ts";
import type { Options } from "../options.ts";
import type { Api } from "./api.ts";

/** Redemptions at a time: more keep no core of the service busier. */
const PARALLEL = 8;

/** Devices that can connect. */
export interface Enrolled {
  /** `mqtts://host:port`, as the enrollment answered it. */
  readonly brokerUrl: string;
  readonly devices: readonly DeviceIdentity[];
}

/**
 * Enrolls devices over HTTPS, each with a key and a CSR of its own. Without a claim code it creates claims.
 *
 * @param onEnrolled called with each device, so that those of an interrupted run are known, too
 */
export async function enrollDevices(
  api: Api,
  { devices, claimCode, deviceType }: Pick<Options, "devices" | "claimCode" | "deviceType">,
  onEnrolled: (device: DeviceIdentity, brokerUrl: string) => void,
): Promise<void> {
  const codes: string[] = claimCode === undefined ? [] : Array(devices).fill(claimCode);
  while (codes.length < devices) {
    const maxUses = Math.min(USES_A_CLAIM, devices - codes.length);
    const type = deviceType === undefined ? {} : { intendedDeviceTypeId: deviceType };
    const body = { intendedName: "Simulated device", maxUses, ...type };
    const claim = await api.call(201, "POST", "/provisioning/claims", { body });
    codes.push(...Array(maxUses).fill(claim.claimCode));
  }
  const worker = async () => {
    for (let code = codes.pop(); code !== undefined; code = codes.pop()) {
      const { identity, brokerUrl } = await redeem(api, code);
      onEnrolled(identity, brokerUrl);
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, devices) }, worker));
}

async function redeem(api: Api, claimCode: string): Promise<{ identity: DeviceIdentity; brokerUrl: string }> {
  const applicant = newApplicant();
  const { deviceId, mqtt } = await api.redeem({ ...applicant.fields, claimCode });
  const [topic] = mqtt.publishTopics;
  if (topic === undefined)
    throw new Error("the device type of the claim lists no topics: the devices could not publish (--device-type)");
  const identity = {
    deviceId,
    key: keyPem(applicant.privateKey),
    fullchain: mqtt.clientCert + mqtt.clientCertChain,
    ca: mqtt.serverCaBundle,
    topic,
    commandTopic: mqtt.subscribeTopics?.[0],
  };
  return { identity, brokerUrl: mqtt.brokerUrl };
}

/** Returns undefined where the file does not exist. @throws Error for a file that the simulator has not written */
export async function readEnrolled(path: string): Promise<Enrolled | undefined> {
  const content = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (content === undefined) return undefined;
  const enrolled = JSON.parse(content);
  if (!Array.isArray(enrolled.devices)) throw new Error(`${path} is not a file that --keep has written`);
  return enrolled;
}

/** Writes the credentials of the devices, private keys included: only its owner can read the file. */
export async function writeEnrolled(path: string, enrolled: Enrolled): Promise<void> {
  await writeFile(path, JSON.stringify(enrolled), { mode: 0o600 });
}
