import { sleep, within } from "../../load/measure.ts";
import { query } from "../../load/postgres.ts";
import { credentialsOf, openWire } from "../clients/connection.ts";
import type { Fleet } from "../clients/fleet.ts";
import { type Address, type DeviceIdentity, nowMs } from "../clients/protocol.ts";
import type { Api } from "../target/api.ts";

const POLL_MS = 50;
const REQUEST_SECONDS = 15;
const CONNECT_SECONDS = 20;
/** The last revoked devices, which try to connect after each fault. */
const TRYING = 3;

/** A revoked certificate. */
export interface Revocation {
  readonly deviceId: string;
  /** The milliseconds from the request to its answer. */
  readonly answeredMs: number;
  /** The milliseconds from the answer to the end of the session, or negative; undefined where the session stayed. */
  readonly endedMs: number | undefined;
}

/** Revokes certificates of devices, one at a time. */
export class Revocations {
  readonly #given: { readonly api: Api; readonly fleet: Fleet; readonly databaseUrl: string };
  readonly #left: DeviceIdentity[];
  readonly #certificates = new Map<string, string>();
  readonly #revoked: DeviceIdentity[] = [];
  #node = 0;

  /** @param devices that may be revoked */
  constructor(given: { api: Api; fleet: Fleet; databaseUrl: string }, devices: readonly DeviceIdentity[]) {
    this.#given = given;
    this.#left = [...devices];
  }

  async load(): Promise<void> {
    const statement = "SELECT id, device_id FROM shared_certificates WHERE revoked_at IS NULL";
    const rows = await query<{ id: string; device_id: string }>(this.#given.databaseUrl, statement);
    for (const { id, device_id } of rows) this.#certificates.set(device_id, id);
  }

  get ids(): string[] {
    return this.#revoked.map(({ deviceId }) => deviceId);
  }

  /**
   * Revokes the next certificate at some node that answers, and waits until its session has ended.
   *
   * @param endSeconds how long the end may take after the answer
   * @param isOver whether to stop trying
   * @returns undefined where no device is left
   * @throws Error where no node has answered
   */
  async revoke(endSeconds: number, isOver: () => boolean): Promise<Revocation | undefined> {
    const device = this.#left.pop();
    if (!device) return undefined;
    const { deviceId } = device;
    await this.#given.fleet.expectEnd([deviceId]);
    this.#revoked.push(device);
    const answered = await this.#request(this.#certificates.get(deviceId)!, isOver);
    if (!answered) throw new Error(`no node has revoked the certificate of ${deviceId}`);
    for (const end = answered.at + endSeconds * 1000; nowMs() < end; await sleep(POLL_MS)) {
      const endedAt = (await this.#given.fleet.ends()).get(deviceId);
      if (endedAt !== undefined) return { deviceId, answeredMs: answered.ms, endedMs: endedAt - answered.at };
    }
    return { deviceId, answeredMs: answered.ms, endedMs: undefined };
  }

  /** Returns revoked devices that can connect to one of the addresses. */
  async admitted(addresses: readonly Address[]): Promise<string[]> {
    const found: string[] = [];
    for (const device of this.#revoked.slice(-TRYING))
      for (const address of addresses)
        if (await canConnect(device, address)) found.push(`${device.deviceId} connects although it is revoked`);
    return found;
  }

  async #request(certificate: string, isOver: () => boolean): Promise<{ at: number; ms: number } | undefined> {
    for (; !isOver(); await sleep(POLL_MS)) {
      let began = nowMs();
      const onSend = () => {
        began = nowMs();
      };
      const sent = this.#given.api
        .call(204, "DELETE", `/device-certificates/${certificate}`, { node: this.#node++, onSend })
        .then(() => true)
        .catch((error: Error) => / (404|409) /.test(error.message));
      if (await within(REQUEST_SECONDS, () => "DELETE", sent).catch(() => false))
        return { at: nowMs(), ms: nowMs() - began };
    }
    return undefined;
  }
}

async function canConnect(device: DeviceIdentity, address: Address): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const wire = openWire(address, credentialsOf(device), {
    packet: (packet) => resolve(packet.cmd === "connack" && (packet.reasonCode ?? 0) === 0),
    ended: () => resolve(false),
  });
  const answer = await within(CONNECT_SECONDS, () => "CONNECT", promise).catch(() => false);
  wire.destroy();
  return answer;
}
