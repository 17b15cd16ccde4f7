import { expectJson, type HttpsClient, openHttps } from "../../load/https-client.ts";
import { percentile } from "../../load/measure.ts";
import { closeAll, type Identity, openAll, type Session } from "../../load/mqtt-client.ts";
import type { MusterProcess } from "../../load/muster.ts";
import type { Tenant } from "../../load/tenant.ts";
import { atMost, type Figure, figure, note } from "../report.ts";

const REVOCATIONS = 200;
/** Requests of one key. */
const A_KEY = 90;
const PAGE = 200;

/** The time from sending DELETE to the end of the session, with all sessions open; one revocation after the other. */
export async function revocationToClose(
  { https, mqtt }: MusterProcess,
  tenant: Tenant,
  identities: readonly Identity[],
): Promise<Figure[]> {
  const sessions = await openAll(mqtt, identities);
  const client = await openHttps(https);
  const certificates = await certificateIds(client, await tenant.newKey());
  const latencies: number[] = [];
  let [latest, key] = [Number.NEGATIVE_INFINITY, ""];
  for (let turn = 0; turn < REVOCATIONS; turn++) {
    if (turn % A_KEY === 0) key = await tenant.newKey();
    const id = certificates.get(identities[turn]!.deviceId);
    if (id === undefined) throw new Error(`${identities[turn]!.deviceId} is not in the list of certificates`);
    const { toClose, afterAnswer } = await revoke(client, key, id, sessions[turn]!);
    latencies.push(toClose);
    latest = Math.max(latest, afterAnswer);
  }
  client.close();
  await closeAll(sessions.slice(REVOCATIONS));
  const end = latest > 0 ? `${latest.toFixed(1)} ms after` : "before";
  const name = `revocation to close, ${sessions.length} sessions`;
  return [
    figure(`${name}, p50`, percentile(latencies, 0.5), "ms"),
    figure(
      `${name}, p99`,
      percentile(latencies, 0.99),
      "ms",
      atMost(50),
      note(`the last session end seen ${end} its 204`),
    ),
  ];
}

async function revoke(client: HttpsClient, key: string, id: string, { socket }: Session) {
  const closed = new Promise<number>((resolve) => socket.once("close", () => resolve(performance.now())));
  const started = performance.now();
  await expectJson(client, 204, "DELETE", `/api/v1/device-certificates/${id}`, "", { "x-api-key": key });
  const answered = performance.now();
  const at = await closed;
  return { toClose: at - started, afterAnswer: at - answered };
}

/** Returns device id → certificate id, of every active certificate of the tenant. */
async function certificateIds(client: HttpsClient, key: string): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let skip = 0; ; skip += PAGE) {
    const path = `/api/v1/device-certificates?status=active&limit=${PAGE}&skip=${skip}`;
    const { items, total } = await expectJson(client, 200, "GET", path, "", { "x-api-key": key });
    for (const { id, deviceId } of items) ids.set(deviceId, id);
    if (skip + PAGE >= total) return ids;
  }
}
