import { useQuery } from "@tanstack/react-query";
import { deviceTypesQuery } from "../../api/device-types.ts";
import { deviceQuery } from "../../api/devices.ts";
import type { MetricSettings } from "./metric-text.ts";

const NONE: MetricSettings = [];

/** Returns what the type of a device says about metrics; nothing until it is read. */
export function useMetricSettings(deviceId: string): MetricSettings {
  const typeId = useQuery(deviceQuery(deviceId)).data?.record.deviceTypeId;
  return useQuery(deviceTypesQuery).data?.items.find(({ id }) => id === typeId)?.metrics ?? NONE;
}
