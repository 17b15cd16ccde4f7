import { makeCsr } from "../../../agent/src/csr.ts";
import { newKey } from "../../load/enroll.ts";
import { type HttpsClient, openHttps } from "../../load/https-client.ts";
import type { Identity } from "../../load/mqtt-client.ts";
import { type Load, type Meter, sustain } from "../../measure.ts";
import type { MusterProcess } from "../../peers/muster.ts";
import { cpuFigure, type Figure } from "../../report.ts";

const WORKERS = 32;
const WARM_UP = 500;
const MEASURED = 1_000;
/** An address may have 100 connections of devices, and make 600 requests a minute. */
const AN_ADDRESS = 50;

/** Devices renew over connections that are open: the handshake, in which a device presents its certificate, is the same as that of a connect. */
export async function renewals(
  muster: MusterProcess,
  meter: Meter,
  database: string,
  identities: readonly Identity[],
): Promise<Figure[]> {
  const devices = identities.slice(0, WARM_UP + MEASURED);
  const bodies = devices.map(() => JSON.stringify({ csr: makeCsr(newKey()) }));
  const clients = await Promise.all(devices.map((device, at) => openHttps(presenting(muster, device, at))));
  let next = 0;
  const renewed = (upTo: number): Promise<Load> =>
    sustain(meter, { workers: WORKERS, seconds: 120 }, async () => {
      if (next >= upTo) return false;
      const turn = next++;
      await renew(clients[turn]!, bodies[turn]!);
      return true;
    });
  await renewed(WARM_UP);
  const load = await renewed(devices.length);
  for (const client of clients) client.close();
  return [
    { name: `renewals, ${database}`, value: load.count / load.seconds, unit: "/s" },
    cpuFigure(`CPU a renewal, ${database}`, load, "ms"),
  ];
}

function presenting({ https }: MusterProcess, { key, fullchain }: Identity, at: number) {
  return {
    ...https,
    certificate: { key, cert: fullchain },
    localAddress: `127.0.3.${Math.floor(at / AN_ADDRESS) + 1}`,
  };
}

async function renew(client: HttpsClient, body: string): Promise<void> {
  const answer = await client.send("POST", "/api/provisioning/cert/renew", body);
  if (answer.status !== 200) throw new Error(`a renewal was answered with ${answer.status}: ${answer.body}`);
}
