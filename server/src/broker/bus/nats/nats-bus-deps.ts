import type { Clock } from "../../../lib/clock.ts";
import type { Ids } from "../../../lib/ids.ts";
import type { Logger } from "../../../lib/logger.ts";
import type { Metrics } from "../../../lib/metrics/metrics.ts";
import type { NatsSettings } from "../../../lib/nats/nats-settings.ts";
import type { BrokerLimits } from "../../limits.ts";

/** The dependencies of the bus over NATS. */
export interface NatsBusDeps {
  settings: NatsSettings;
  limits: Pick<BrokerLimits, "mqttBusBytes" | "natsBusBytes">;
  clock: Clock;
  ids: Pick<Ids, "bytes">;
  metrics: Pick<Metrics, "busMessages" | "busDropped" | "busPeers" | "busConnected">;
  logger: Logger;
  /** The interval of a process's heartbeat; one second if omitted. */
  tickMs?: number;
}
