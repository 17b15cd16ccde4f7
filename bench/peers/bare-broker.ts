import type { Identity, MqttTarget } from "../load/mqtt-client.ts";
import { cpuMs } from "../measure.ts";
import { startBareProgram } from "./bare-program.ts";
import { newPeerCertificates } from "./certificates.ts";
import { collectingOnSignal } from "./collect-garbage.ts";
import { freePort } from "./postgres.ts";

/** The least that a broker in Node does: mutual TLS, and an acknowledgement for each message (bare-broker-server.ts). */
export interface BareBroker {
  /** Its first process. */
  readonly pid: number;
  readonly target: MqttTarget;
  /** CPU time of all its processes so far, in milliseconds. */
  cpuMs(): number;
  newIdentities(count: number): Promise<Identity[]>;
  stop(): Promise<void>;
}

/**
 * Starts it apart from this process, with the TLS settings of our listener. It collects its garbage at SIGUSR2.
 *
 * @param processes share a port, as workers do
 */
export async function startBareBroker(processes = 1): Promise<BareBroker> {
  const certificates = newPeerCertificates();
  const shared: Record<string, string> = processes === 1 ? {} : { BARE_PORT: String(await freePort()) };
  const env = {
    ...collectingOnSignal,
    ...shared,
    BARE_CERT: certificates.server.cert,
    BARE_KEY: certificates.server.key,
    BARE_ROOT: certificates.deviceRootPem,
  };
  const started = await Promise.all(
    Array.from({ length: processes }, () => startBareProgram("bare-broker-server.ts", env)),
  );
  const [{ pid, port }] = started as [(typeof started)[0]];
  return {
    pid,
    target: { port, ca: certificates.serverRootPem },
    cpuMs: () => started.reduce((sum, each) => sum + cpuMs(each.pid), 0),
    newIdentities: certificates.newIdentities,
    stop: async () => {
      await Promise.all(started.map((each) => each.stop()));
    },
  };
}
