import { Wire } from "../../agent/src/connection/wire.ts";
import { sleep, within } from "../../load/measure.ts";
import { query } from "../../load/postgres.ts";
import type { Fleet } from "../load/fleet.ts";
import { type Address, type DeviceIdentity, nowMs } from "../load/protocol.ts";
import type { Api } from "../target/api.ts";

const POLL_MS = 50;
const REQUEST_SECONDS = 15;
const CONNECT_SECONDS = 20;

/** A certificate that was revoked. */
export interface Revocation {
  readonly deviceId: string;
  /** Milliseconds from the request that was answered to its answer. */
  readonly answeredMs: number;
  /** Milliseconds from that answer until the session had ended; less than 0 before it; undefined where it did not. */
  readonly endedMs: number | undefined;
}

interface Parts {
  readonly api: Api;
  readonly fleet: Fleet;
  readonly databaseUrl: string;
}

/** Revokes certificates of devices, one at a time. */
export class Revocations {
  readonly #parts: Parts;
  readonly #left: DeviceIdentity[];
  readonly #certificates = new Map<string, string>();
  readonly #revoked: DeviceIdentity[] = [];
  #node = 0;

  /** @param devices that may be revoked */
  constructor(parts: Parts, devices: readonly DeviceIdentity[]) {
    this.#parts = parts;
    this.#left = [...devices];
  }

  async load(): Promise<void> {
    const statement = "SELECT id, device_id FROM shared_certificates WHERE revoked_at IS NULL";
    const rows = await query<{ id: string; device_id: string }>(this.#parts.databaseUrl, statement);
    for (const { id, device_id } of rows) this.#certificates.set(device_id, id);
  }

  get ids(): string[] {
    return this.#revoked.map(({ deviceId }) => deviceId);
  }

  /**
   * Revokes the next one at some node that answers, and waits until its session has ended.
   *
   * @param endSeconds how long that may take after the answer
   * @param isOver whether to stop trying. @returns undefined where no device is left or no node has answered
   */
  async revoke(endSeconds: number, isOver: () => boolean): Promise<Revocation | undefined> {
    const device = this.#left.pop();
    if (!device) return undefined;
    const { deviceId } = device;
    await this.#parts.fleet.expectEnd([deviceId]);
    this.#revoked.push(device);
    const answered = await this.#request(this.#certificates.get(deviceId)!, isOver);
    if (!answered) throw new Error(`no node has revoked the certificate of ${deviceId}`);
    for (const end = answered.at + endSeconds * 1000; nowMs() < end; await sleep(POLL_MS)) {
      const endedAt = (await this.#parts.fleet.ends()).get(deviceId);
      if (endedAt !== undefined) return { deviceId, answeredMs: answered.ms, endedMs: endedAt - answered.at };
    }
    return { deviceId, answeredMs: answered.ms, endedMs: undefined };
  }

  /** Revoked devices that can connect to one of the addresses. */
  async admitted(addresses: readonly Address[]): Promise<string[]> {
    const found: string[] = [];
    for (const device of this.#revoked.slice(-3))
      for (const address of addresses)
        if (await canConnect(device, address)) found.push(`${device.deviceId} connects although it is revoked`);
    return found;
  }

  async #request(certificate: string, isOver: () => boolean): Promise<{ at: number; ms: number } | undefined> {
    while (!isOver()) {
      let began = nowMs();
      const onSend = () => {
        began = nowMs();
      };
      const sent = this.#parts.api
        .call(204, "DELETE", `/device-certificates/${certificate}`, { node: this.#node++, onSend })
        .then(() => true)
        .catch((error: Error) => / (404|409) /.test(error.message));
      if (await within(REQUEST_SECONDS, () => "DELETE", sent).catch(() => false))
        return { at: nowMs(), ms: nowMs() - began };
      await sleep(POLL_MS);
    }
    return undefined;
  }
}

async function canConnect(
  { key, fullchain: cert, ca, deviceId: clientId }: DeviceIdentity,
  address: Address,
): Promise<boolean> {
  const { host, port, servername = host } = address;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const wire = new Wire({ key, cert, ca, host, port, servername, minVersion: "TLSv1.2" }, 5, 64 * 1024, {
    packet: (packet) => resolve(packet.cmd === "connack" && (packet.reasonCode ?? 0) === 0),
    ended: () => resolve(false),
  });
  wire.send({ cmd: "connect", protocolId: "MQTT", protocolVersion: 5, clean: true, keepalive: 60, clientId });
  const answer = await within(CONNECT_SECONDS, () => "CONNECT", promise).catch(() => false);
  wire.destroy();
  return answer;
}
