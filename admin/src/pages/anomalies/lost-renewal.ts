import type { Anomaly } from "../../api/monitoring/anomalies.ts";

/** Whether it is about a certificate that was not renewed in time: its limit is a time, that of a silent device a number of seconds. */
export function isLostRenewal({ metric, limit }: Pick<Anomaly, "metric" | "limit">): boolean {
  return metric === null && typeof limit === "string";
}
