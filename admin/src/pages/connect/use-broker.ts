import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "../../api/settings.ts";

const MQTTS_PORT = 8883;

/**
 * Returns the addresses for devices, and the authority that curl must trust for a development certificate; empty until
 * they are read.
 */
export function useBroker(): { baseUrl?: string; broker?: { host: string; port: number }; caPem?: string | undefined } {
  const { data } = useQuery(settingsQuery);
  if (!data) return {};
  const { hostname, port } = new URL(data.brokerUrl);
  const broker = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || MQTTS_PORT) };
  return { baseUrl: data.baseUrl, broker, caPem: data.httpsCa ?? undefined };
}
