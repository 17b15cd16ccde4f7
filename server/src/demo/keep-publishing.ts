import { join } from "node:path";
import { ADMIN, type DemoState } from "./demo-state.ts";
import { isEscalated } from "./fault-steps.ts";
import { VIBRATION_LIMIT } from "./monitoring-steps.ts";
import { failingPump, publishAll, wearDown } from "./simulated-pump.ts";

const PUBLISH_EVERY_MS = 2_000;
/**
 * The failing pump exceeds its limit after about 45 s and is repaired 85 s later, which leaves time for a second
 * escalation step.
 */
const WEAR_PER_READING = 0.25;
/** Later than the next escalation step, which is due a minute after the anomaly. */
const ESCALATION_CHECK_MS = 65_000;

/** Publishes readings of all pumps until Ctrl-C. */
export async function keepPublishing(
  state: DemoState,
  stopped: Promise<void>,
  print: (line: string) => void,
): Promise<void> {
  const { service, adminPassword } = state;
  print(`
The pumps keep publishing until you press Ctrl-C. Watch them in the admin app:

  open            ${service.baseUrl}
  sign in         ${ADMIN}
  password        ${adminPassword}

The browser warns about the certificate, which was created for this demo: continue to the page.

  Devices         the pumps, live: the sludge pump's telemetry shows its vibration rise over ${VIBRATION_LIMIT} mm/s within a minute
  Refused clients the clients that the broker refused in this demo, with the reasons
  Certificates    the renewed one, the revoked one and the one issued as a bundle
  Audit           the administrative acts of this demo and their actors

E-mails and webhook messages about the pump are printed here as they arrive. Without an acknowledgement the leader is notified a
minute later.

  MQTT over TLS   ${service.brokerUrl}
  CA for both     ${join(service.dataDir, "tls", "ca.pem")}
  shell           MUSTER_DATA_DIR=${service.dataDir} npx muster --help
`);
  const publishing = setInterval(() => {
    wearDown(failingPump(state.pumps), WEAR_PER_READING);
    publishAll(state.pumps, state.random).catch(() => undefined);
  }, PUBLISH_EVERY_MS);
  const check = setTimeout(() => print(escalationResult(state)), ESCALATION_CHECK_MS);
  await stopped;
  clearInterval(publishing);
  clearTimeout(check);
}

function escalationResult(state: DemoState): string {
  return isEscalated(state)
    ? "✗ The acknowledged anomaly was escalated a minute later"
    : "✓ The acknowledged anomaly was not escalated a minute later";
}
