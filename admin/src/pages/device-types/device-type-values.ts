import type { DeviceType } from "../../api/device-types.ts";
import { metricValues } from "./metric-values.ts";

export type Fields = Pick<
  DeviceType,
  "name" | "publishTopics" | "subscribeTopics" | "silentForSeconds" | "thresholdIds" | "payloadFormat" | "metrics"
>;

/** The fields of a device type as its form shows them. */
export type DeviceTypeValues = ReturnType<typeof valuesOf>;

export function valuesOf({ name, publishTopics, subscribeTopics, silentForSeconds, thresholdIds, ...payload }: Fields) {
  return {
    name,
    publishTopics: publishTopics.join("\n"),
    subscribeTopics: subscribeTopics.join("\n"),
    silentForSeconds: String(silentForSeconds ?? ""),
    thresholdIds,
    payloadFormat: payload.payloadFormat,
    metrics: payload.metrics.map(metricValues),
  };
}
