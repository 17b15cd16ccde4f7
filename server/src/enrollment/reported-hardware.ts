import { invalidRequest } from "../lib/request-errors.ts";
import { plainLine } from "../lib/text.ts";
import { MAX_CAPABILITIES, REPORTED_LENGTH } from "./limits.ts";

/** A device's description of itself in a redemption (spec 2.2). */
export interface ReportedHardware {
  fingerprint: string;
  /** The fingerprint in the form used for comparison. */
  fingerprintKey: string;
  model: string;
  agentVersion: string;
  capabilities: readonly string[] | undefined;
  macAddress: string | undefined;
}

export interface HardwareFields {
  hardwareFingerprint: string;
  hardwareModel: string;
  agentVersion: string;
  agentCapabilities?: readonly string[] | undefined;
  reportedMacAddress?: string | undefined;
}

/** @throws MusterError invalid_request when a field is empty, too long or more than one line */
export function validateHardware(fields: HardwareFields): ReportedHardware {
  const fingerprint = plainLine("hardwareFingerprint", fields.hardwareFingerprint, REPORTED_LENGTH);
  const { agentCapabilities, reportedMacAddress } = fields;
  if (agentCapabilities && agentCapabilities.length > MAX_CAPABILITIES)
    throw invalidRequest(`agentCapabilities may have at most ${MAX_CAPABILITIES} entries`, "agentCapabilities");
  return {
    fingerprint,
    fingerprintKey: fingerprint.toLowerCase(),
    model: plainLine("hardwareModel", fields.hardwareModel, REPORTED_LENGTH),
    agentVersion: plainLine("agentVersion", fields.agentVersion, REPORTED_LENGTH),
    capabilities: agentCapabilities?.map((capability) => plainLine("agentCapabilities", capability, REPORTED_LENGTH)),
    macAddress:
      reportedMacAddress === undefined
        ? undefined
        : plainLine("reportedMacAddress", reportedMacAddress, REPORTED_LENGTH),
  };
}
