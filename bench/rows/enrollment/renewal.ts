import { makeCsr } from "../../../agent/src/csr.ts";
import { keyPem, newKey } from "../../../load/enroll.ts";
import { openHttps } from "../../../load/https-client.ts";
import { type Meter, sustain } from "../../../load/measure.ts";
import type { Identity } from "../../../load/mqtt-client.ts";
import type { MusterProcess } from "../../../load/muster.ts";
import { bothMs, divided, type Figure, figure, rate } from "../../report.ts";

const WORKERS = 32;
const WARM_UP = 500;
const MEASURED = 1_000;
/** Devices per loopback address, which may have 100 connections of devices. */
const AN_ADDRESS = 50;

/**
 * Devices renew over open connections: the handshake, in which a device presents its certificate, is that of a connect.
 *
 * @param identities changed to the new keys and certificates: the superseded ones are refused from now on
 */
export async function renewals(
  { https }: MusterProcess,
  meter: Meter,
  database: string,
  identities: Identity[],
): Promise<Figure[]> {
  const devices = identities.slice(0, WARM_UP + MEASURED).map((identity, at) => {
    const privateKey = newKey();
    const certificate = { key: identity.key, cert: identity.fullchain };
    const target = { ...https, certificate, localAddress: `127.0.3.${Math.floor(at / AN_ADDRESS) + 1}` };
    return { identity, key: keyPem(privateKey), body: JSON.stringify({ csr: makeCsr(privateKey) }), target };
  });
  const clients = await Promise.all(devices.map(({ target }) => openHttps(target)));
  const answers: string[] = [];
  let next = 0;
  const renewed = (upTo: number) =>
    sustain(meter, { workers: WORKERS, seconds: 120 }, async () => {
      if (next >= upTo) return false;
      const turn = next++;
      const { status, body } = await clients[turn]!.send("POST", "/api/provisioning/cert/renew", devices[turn]!.body);
      if (status !== 200) throw new Error(`a renewal was answered with ${status}: ${body}`);
      answers[turn] = body;
      return true;
    });
  try {
    await renewed(WARM_UP);
    const load = await renewed(devices.length);
    return [
      figure(`renewals, ${database}`, rate(load), "/s"),
      figure(`CPU a renewal, ${database}`, bothMs(load), "ms", divided(load, "ms")),
    ];
  } finally {
    for (const client of clients) client.close();
    // Also after a failure: the next row must not present superseded certificates.
    for (const [turn, answer] of answers.entries()) {
      if (answer === undefined) continue;
      const { clientCert, clientCertChain } = JSON.parse(answer);
      const { identity, key } = devices[turn]!;
      identities[turn] = { ...identity, key, fullchain: clientCert + clientCertChain };
    }
  }
}
