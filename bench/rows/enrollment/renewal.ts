import { makeCsr } from "../../../agent/src/csr.ts";
import { keyPem, newKey } from "../../../load/enroll.ts";
import { expectJson, openHttps } from "../../../load/https-client.ts";
import { type Load, type Meter, sustain, total } from "../../../load/measure.ts";
import type { Identity } from "../../../load/mqtt-client.ts";
import type { MusterProcess } from "../../../load/muster.ts";
import { bothMs, divided, type Figure, figure, rate } from "../../report.ts";

const WORKERS = 32;
/** Devices that renew in one turn: the server closes connections that send no request within seconds. */
const A_TURN = 100;
const [WARM_UP_TURNS, TURNS] = [5, 15];
/** Devices per loopback address. */
const AN_ADDRESS = 50;

/**
 * Devices renew over open connections: the handshake, in which a device presents its certificate, is that of a connect.
 *
 * @param identities changed to the new keys and certificates: the superseded ones are refused from now on
 */
export async function renewals(
  muster: MusterProcess,
  meter: Meter,
  database: string,
  identities: Identity[],
): Promise<Figure[]> {
  const loads: Load[] = [];
  for (let turn = 0; turn < TURNS; turn++) loads.push(await renewedInTurn(muster, meter, identities, turn * A_TURN));
  const load = total(loads.slice(WARM_UP_TURNS));
  return [
    figure(`renewals, ${database}`, rate(load), "/s"),
    figure(`CPU a renewal, ${database}`, bothMs(load), "ms", divided(load, "ms")),
  ];
}

async function renewedInTurn(
  { https }: MusterProcess,
  meter: Meter,
  identities: Identity[],
  first: number,
): Promise<Load> {
  const devices = identities.slice(first, first + A_TURN).map((identity, index) => {
    const privateKey = newKey();
    const certificate = { key: identity.key, cert: identity.fullchain };
    const localAddress = `127.0.3.${Math.floor((first + index) / AN_ADDRESS) + 1}`;
    const body = JSON.stringify({ csr: makeCsr(privateKey) });
    return { identity, key: keyPem(privateKey), body, target: { ...https, certificate, localAddress } };
  });
  const clients = await Promise.all(devices.map(({ target }) => openHttps(target)));
  let next = 0;
  const load = await sustain(meter, { workers: WORKERS, seconds: 120 }, async () => {
    const index = next++;
    if (index >= devices.length) return false;
    const { identity, key, body } = devices[index]!;
    const answer = await expectJson(clients[index]!, 200, "POST", "/api/provisioning/cert/renew", body);
    // At once: the next row must not present a superseded certificate, also when a later renewal fails.
    identities[first + index] = { ...identity, key, fullchain: answer.clientCert + answer.clientCertChain };
    return true;
  });
  for (const client of clients) client.close();
  return load;
}
