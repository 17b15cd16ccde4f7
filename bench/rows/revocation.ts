import type { TLSSocket } from "node:tls";
import { type HttpsClient, openHttps } from "../load/https-client.ts";
import { closeMqtt, type Identity } from "../load/mqtt-client.ts";
import { percentile } from "../measure.ts";
import type { MusterProcess } from "../peers/muster.ts";
import type { Figure } from "../report.ts";

const REVOCATIONS = 200;
const A_KEY = 90;
const PAGE = 200;

/** From sending DELETE to the end of the session, with 1,000 sessions open; one revocation after the other. */
export async function revocationToClose(
  muster: MusterProcess,
  newKey: () => string,
  sessions: readonly TLSSocket[],
  identities: readonly Identity[],
): Promise<Figure[]> {
  const client = await openHttps(muster.https);
  const certificates = await certificateIds(client, newKey());
  const latencies: number[] = [];
  const behind: number[] = [];
  let key = "";
  for (let turn = 0; turn < REVOCATIONS; turn++) {
    if (turn % A_KEY === 0) key = newKey();
    const id = certificates.get(identities[turn]!.deviceId);
    if (id === undefined) throw new Error(`${identities[turn]!.deviceId} is not in the list of certificates`);
    const { toClose, afterAnswer } = await revoke(client, key, id, sessions[turn]!);
    latencies.push(toClose);
    behind.push(afterAnswer);
  }
  client.close();
  await Promise.all(sessions.slice(REVOCATIONS).map(closeMqtt));
  const latest = Math.max(...behind);
  const note = `the last session end seen ${latest > 0 ? `${latest.toFixed(1)} ms after` : "before"} its 204`;
  return [
    { name: `revocation to close, ${sessions.length} sessions, p50`, value: percentile(latencies, 0.5), unit: "ms" },
    {
      name: `revocation to close, ${sessions.length} sessions, p99`,
      value: percentile(latencies, 0.99),
      unit: "ms",
      target: { of: "value", atMost: 50 },
      note,
    },
  ];
}

async function revoke(client: HttpsClient, key: string, id: string, session: TLSSocket) {
  const closed = new Promise<number>((resolve) => session.once("close", () => resolve(performance.now())));
  const started = performance.now();
  const answer = await client.send("DELETE", `/api/v1/device-certificates/${id}`, "", { "x-api-key": key });
  if (answer.status !== 204) throw new Error(`a revocation was answered with ${answer.status}: ${answer.body}`);
  const answered = performance.now();
  const at = await closed;
  return { toClose: at - started, afterAnswer: at - answered };
}

/** Device id to certificate id, of every certificate of the tenant. */
async function certificateIds(client: HttpsClient, key: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let skip = 0; ; skip += PAGE) {
    const path = `/api/v1/device-certificates?limit=${PAGE}&skip=${skip}`;
    const answer = await client.send("GET", path, "", { "x-api-key": key });
    if (answer.status !== 200) throw new Error(`the list of certificates: ${answer.status} ${answer.body}`);
    const { items, total } = JSON.parse(answer.body);
    for (const { id, deviceId } of items) ids.set(deviceId, id);
    if (skip + PAGE >= total) return ids;
  }
}
