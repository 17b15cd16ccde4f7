import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "../../api/settings.ts";

const MQTTS_PORT = 8883;

/** Where devices connect to, and what curl must trust where the service has a development certificate; empty while it is read. */
export function useBroker(): { baseUrl?: string; broker?: { host: string; port: number }; caPem?: string | undefined } {
  const { data } = useQuery(settingsQuery);
  if (!data) return {};
  const { hostname, port } = new URL(data.brokerUrl);
  const broker = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || MQTTS_PORT) };
  return { baseUrl: data.baseUrl, broker, caPem: data.httpsCa ?? undefined };
}
