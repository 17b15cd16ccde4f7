import { readFile, writeFile } from "node:fs/promises";
import { newApplicant } from "../../load/enroll.ts";
import type { DeviceIdentity } from "../clients/protocol.ts";
import type { Api } from "./api.ts";

/** Uses of a claim, at most. */
const USES = 100;
/** Redemptions at a time: more keep no core of the service busier. */
const PARALLEL = 8;

const NOTHING = () => undefined;

/** Devices that can connect. */
export interface Enrolled {
  /** `mqtts://host:port`, as the enrollment answered it. */
  readonly brokerUrl: string;
  readonly devices: readonly DeviceIdentity[];
}

/** How devices get their claim codes. */
export interface EnrollmentPlan {
  readonly devices: number;
  /** Without one the API creates claims. */
  readonly claimCode: string | undefined;
  readonly deviceTypeId: string | undefined;
}

/**
 * Enrolls devices over HTTPS, each with a key and a CSR of its own.
 *
 * @param onEnrolled called with each device, so that those of an interrupted run are known, too
 */
export async function enrollDevices(
  api: Api,
  { devices, claimCode, deviceTypeId }: EnrollmentPlan,
  onEnrolled: (device: DeviceIdentity, brokerUrl: string) => void,
): Promise<void> {
  let [code, left] = [claimCode, claimCode === undefined ? 0 : devices];
  let [begun, assigned] = [0, 0];
  let next: Promise<void> = Promise.resolve();
  const takeCode = async (): Promise<string> => {
    if (left === 0) {
      left = Math.min(USES, devices - assigned);
      const about = { intendedName: "Simulated device", maxUses: left };
      const type = deviceTypeId === undefined ? {} : { intendedDeviceTypeId: deviceTypeId };
      code = (await api.call(201, "POST", "/provisioning/claims", { body: { ...about, ...type } })).claimCode;
    }
    left--;
    assigned++;
    return code!;
  };
  const worker = async () => {
    while (begun < devices) {
      begun++;
      const taken = next.then(takeCode);
      next = taken.then(NOTHING, NOTHING);
      const { identity, brokerUrl } = await redeem(api, await taken);
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
    key: applicant.privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    fullchain: mqtt.clientCert + mqtt.clientCertChain,
    ca: mqtt.serverCaBundle,
    topic,
    commandTopic: mqtt.subscribeTopics?.[0],
  };
  return { identity, brokerUrl: mqtt.brokerUrl };
}

/** @returns undefined where the file does not exist. @throws Error for a file that the simulator has not written */
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

/** Writes what the devices connect with, their private keys included: readable by its owner only. */
export async function writeEnrolled(path: string, enrolled: Enrolled): Promise<void> {
  await writeFile(path, JSON.stringify(enrolled), { mode: 0o600 });
}
