import type { MusterProcess } from "../peers/muster.ts";
import { openHttps } from "./https-client.ts";

/** Three metrics that break no rule: rows of their own measure what a broken rule costs. */
export const QUIET = '{"temperature":21.5,"pressure":4.25,"vibration":1.125}';
export const METRICS = 3;

const RULES = [
  { metric: "temperature", operator: "gt", value: 90, forSeconds: 10, clearForSeconds: 5, severity: "major" },
  { metric: "temperature", operator: "gt", value: 110, severity: "critical" },
  { metric: "pressure", operator: "outside", value: [2, 8], severity: "major" },
  { metric: "vibration", operator: "gte", value: 7, clearValue: 6, forSeconds: 5, severity: "major" },
  { metric: "vibration", operator: "gte", value: 12, severity: "critical" },
];

/** Puts five rules on every device: creates a threshold pack and assigns it to the device type. */
export async function assignRules(muster: MusterProcess, deviceTypeId: string): Promise<void> {
  const user = ["--tenant", "bench", "--user", "admin@bench.example"];
  const { key } = muster.command("key", "create", ...user, "--name", "rules", "--scope", "thresholds:write");
  const client = await openHttps(muster.https);
  const body = JSON.stringify({ name: "Bench", rules: RULES });
  const answer = await client.send("POST", "/api/v1/thresholds", body, { "x-api-key": key });
  client.close();
  if (answer.status !== 201) throw new Error(`creating a pack answered ${answer.status}: ${answer.body}`);
  muster.command("device-type", "update", deviceTypeId, "--threshold", JSON.parse(answer.body).id);
}

/** Takes the rules off again. */
export function removeRules(muster: MusterProcess, deviceTypeId: string): void {
  muster.command("device-type", "update", deviceTypeId, "--no-threshold");
}
