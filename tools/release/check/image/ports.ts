import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Returns settings for three free ports. The health check and Prometheus must know theirs, so none can be 0. */
export async function freePorts(): Promise<Record<string, string>> {
  const servers = ["HTTP", "MQTT", "METRICS"].map((name) => ({ name, server: createServer().listen(0, "0.0.0.0") }));
  const settings: Record<string, string> = {};
  for (const { name, server } of servers) {
    if (!server.listening) await once(server, "listening");
    settings[`MUSTER_${name}_PORT`] = String((server.address() as AddressInfo).port);
  }
  for (const { server } of servers) server.close();
  return settings;
}
