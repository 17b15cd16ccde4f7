import { openHttps } from "../load/https-client.ts";
import type { MusterProcess } from "../peers/muster.ts";
import { query } from "../peers/postgres.ts";
import type { Figure } from "../report.ts";
import type { BrokerUnderLoad } from "./connect.ts";
import { rows, type Stored, stored } from "./stored-messages.ts";

const METRICS = 3;
/** Well within every rule below: what is measured is the judging, not what follows from a fault. */
const VALUES = '{"temperature":21.5,"pressure":4.25,"vibration":1.125}';
const RULES = [
  { metric: "temperature", operator: "gt", value: 90, forSeconds: 10, clearForSeconds: 5, severity: "major" },
  { metric: "temperature", operator: "gt", value: 110, severity: "critical" },
  { metric: "pressure", operator: "outside", value: [2, 8], severity: "major" },
  { metric: "vibration", operator: "gte", value: 7, clearValue: 6, forSeconds: 5, severity: "major" },
  { metric: "vibration", operator: "gte", value: 12, severity: "critical" },
];

/** Messages of three metrics, stored and judged by five rules a device; the peer is the same server with no rule. */
export async function judgedMessages(
  muster: MusterProcess,
  load: BrokerUnderLoad,
  databaseUrl: string,
): Promise<Figure[]> {
  const messages = async () => (await rows(databaseUrl, "telemetry")) / METRICS;
  const run = () => stored(load, messages, [muster.pid], VALUES);
  const plain = await run();
  await watchEveryDevice(muster, databaseUrl);
  const judged = await run();
  const peer = (of: (result: Stored) => number) => ({ name: "without rules", value: of(plain) });
  return [
    {
      name: "messages of 3 metrics stored, 5 rules judged",
      value: judged.perSecond,
      unit: "/s",
      peer: peer(({ perSecond }) => perSecond),
      target: { of: "value", atLeast: 20_000 },
    },
    {
      name: "server CPU a judged message",
      value: judged.cpuUs,
      unit: "µs",
      peer: peer(({ cpuUs }) => cpuUs),
      target: { of: "ratio", atMost: 1.25 },
    },
  ];
}

/** A pack by the public API, put on the one device type. */
async function watchEveryDevice(muster: MusterProcess, databaseUrl: string): Promise<void> {
  const user = ["--tenant", "bench", "--user", "admin@bench.example"];
  const { key } = muster.command("key", "create", ...user, "--name", "rules", "--scope", "thresholds:write");
  const client = await openHttps(muster.https);
  const body = JSON.stringify({ name: "Bench", rules: RULES });
  const answer = await client.send("POST", "/api/v1/thresholds", body, { "x-api-key": key });
  client.close();
  if (answer.status !== 201) throw new Error(`a pack was answered with ${answer.status}: ${answer.body}`);
  const [type] = await query<{ id: string }>(databaseUrl, "SELECT id FROM device_types");
  muster.command("device-type", "update", type!.id, "--threshold", JSON.parse(answer.body).id);
}
