import { useCase } from "../../access/access.ts";
import { certificateUseCases } from "../../certificates/certificates.ts";
import { type DeviceRecord, deviceUseCases, resolveTopics } from "../../devices/devices.ts";
import type { EnrollmentDeps } from "../deps.ts";
import { RENEWAL_ENDPOINT } from "../limits.ts";
import {
  type ClientExample,
  connectionExamples,
  GUIDE_FILES,
  publishingExamples,
  SAMPLE_PAYLOAD,
} from "./client-examples.ts";

/**
 * Instructions for connecting a device: addresses, files, and commands with its real values. They contain no secret.
 */
export interface ConnectGuide {
  brokerUrl: string;
  host: string;
  port: number;
  clientId: string;
  /** The topics of the live certificate that expires last or, without one, those that the device's type would give. */
  publishTopics: string[];
  certificateState: DeviceRecord["certificateState"];
  /** PEM: the authorities that verify the broker. */
  serverCaBundle: string;
  samplePayload: string;
  files: readonly { name: string; contains: string }[];
  /** The examples; without a publish topic, none of them publishes. */
  examples: ClientExample[];
}

/** Returns instructions for connecting the device to the broker. @throws MusterError not_found */
export const connectGuide = useCase(
  { role: "viewer" },
  async (deps: EnrollmentDeps, caller, deviceId: string): Promise<ConnectGuide> => {
    const device = await deviceUseCases.getDevice(deps, caller, deviceId);
    const live = await certificateUseCases.listCertificates(deps, caller, {
      deviceId,
      status: "active",
      skip: 0,
      limit: 100,
    });
    const [last] = live.items.sort((one, other) => other.expiresAt.getTime() - one.expiresAt.getTime());
    const types = await deviceUseCases.listDeviceTypes(deps, caller);
    const templates = types.find(({ id }) => id === device.deviceTypeId)?.publishTopics ?? [];
    const publishTopics =
      last && !last.expired ? last.publishTopics : resolveTopics(templates, caller.tenantSlug, device.id);
    const brokerUrl = deps.brokerUrl();
    const { hostname, port } = new URL(brokerUrl);
    const host = hostname.replace(/^\[|\]$/g, "");
    const values = {
      host,
      port: Number(port || MQTTS_PORT),
      baseUrl: deps.baseUrl(),
      renewalEndpoint: RENEWAL_ENDPOINT,
      clientId: device.id,
      topic: publishTopics[0] ?? "",
    };
    return {
      brokerUrl,
      host,
      port: values.port,
      clientId: device.id,
      publishTopics,
      certificateState: device.certificateState,
      serverCaBundle: deps.authorities.serverCaBundlePem(),
      samplePayload: SAMPLE_PAYLOAD,
      files: GUIDE_FILES,
      examples: [...(publishTopics.length > 0 ? publishingExamples(values) : []), ...connectionExamples(values)],
    };
  },
);

const MQTTS_PORT = 8883;
