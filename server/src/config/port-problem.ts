import { type Config, ConfigError } from "./config.ts";

/**
 * Converts the error of a port that cannot be opened to one that names the setting to change; returns any other error
 * unchanged.
 */
export function portProblem(config: Pick<Config, "http" | "mqtt" | "metrics">, error: unknown): unknown {
  const { code, port } = (error ?? {}) as NodeJS.ErrnoException & { port?: number };
  const why = { EADDRINUSE: "is in use by another process", EACCES: "may not be opened by this user" }[code ?? ""];
  const settings = {
    MUSTER_HTTP_PORT: config.http.port,
    MUSTER_MQTT_PORT: config.mqtt.port,
    MUSTER_METRICS_PORT: config.metrics.port,
  };
  const name = Object.entries(settings).find(([, value]) => value === port)?.[0];
  return why && name ? new ConfigError([`${name}: port ${port} ${why}; choose another`]) : error;
}
