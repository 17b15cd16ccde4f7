import type { Identity, MqttTarget } from "../load/mqtt-client.ts";
import { startBareProgram } from "./bare-program.ts";
import { newPeerCertificates } from "./certificates.ts";

/** The least that a broker in Node does: mutual TLS, and an acknowledgement for each message (bare-broker-server.ts). */
export interface BareBroker {
  readonly pid: number;
  readonly target: MqttTarget;
  newIdentities(count: number): Promise<Identity[]>;
  stop(): Promise<void>;
}

/** Starts it as a separate process, with the TLS settings of our listener. */
export async function startBareBroker(): Promise<BareBroker> {
  const certificates = newPeerCertificates();
  const { pid, port, stop } = await startBareProgram("bare-broker-server.ts", {
    BARE_CERT: certificates.server.cert,
    BARE_KEY: certificates.server.key,
    BARE_ROOT: certificates.deviceRootPem,
  });
  const target = { port, ca: certificates.serverRootPem };
  return { pid, target, newIdentities: certificates.newIdentities, stop };
}
