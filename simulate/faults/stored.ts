import { query } from "../../load/postgres.ts";
import type { DeviceResult } from "../clients/protocol.ts";
import { type Comparison, compareNumbers } from "../compare-numbers.ts";

/** Faults of stored messages, as counts and with examples. */
export interface StoredFaults {
  messages: number;
  /** Acknowledged, and not stored. */
  lost: number;
  /** Stored more often than sent. */
  twice: number;
  /** Stored after a later one of its device. */
  disordered: number;
  examples: string[];
}

/** The clocks of PostgreSQL and of this machine's processes. */
const MARGIN_MS = 5_000;
const MAX_EXAMPLES = 5;

/** When a check took place, and how many messages each device had published. */
interface Mark {
  readonly at: number;
  readonly published: ReadonlyMap<string, number>;
}

/** Compares sent with stored messages. */
export class StoredCheck {
  readonly #databaseUrl: string;
  /** The last two checks: a message that was stored once may be stored again later. */
  #marks: Mark[];

  /** @param now milliseconds since 1970, before the first message */
  constructor(databaseUrl: string, now: number) {
    this.#databaseUrl = databaseUrl;
    this.#marks = [{ at: now, published: new Map() }];
  }

  /** Compares the messages since the check before the last one. @param now before `devices` were asked */
  async recent(devices: readonly DeviceResult[], now: number): Promise<StoredFaults> {
    const found = await this.#compare(devices, this.#marks[0]!);
    const published = new Map(devices.map((each) => [each.deviceId, each.published]));
    this.#marks = [...this.#marks, { at: now, published }].slice(-2);
    return found;
  }

  /** Compares everything. @param began milliseconds since 1970 */
  async all(devices: readonly DeviceResult[], began: number): Promise<StoredFaults> {
    return await this.#compare(devices, { at: began, published: new Map() });
  }

  /** Returns how many acknowledged messages since the check before the last one are not stored (yet). */
  async missing(devices: readonly DeviceResult[]): Promise<number> {
    return (await this.#compare(devices, this.#marks[0]!)).lost;
  }

  async #compare(devices: readonly DeviceResult[], { at, published }: Mark): Promise<StoredFaults> {
    const stored = await this.#stored(at - MARGIN_MS);
    const found: StoredFaults = { messages: 0, lost: 0, twice: 0, disordered: 0, examples: [] };
    for (const device of devices) {
      const { deviceId } = device;
      add(found, deviceId, compareNumbers(stored.get(deviceId) ?? [], device, published.get(deviceId)));
    }
    return found;
  }

  /** Returns device id → its numbers in the order of their times. */
  async #stored(from: number): Promise<Map<string, number[]>> {
    const rows = await query<{ id: string; numbers: number[] }>(
      this.#databaseUrl,
      `SELECT d.id, array_agg(r.number ORDER BY r.ts) AS numbers FROM shared_readings r
         JOIN devices d ON d.uid = r.device_uid WHERE r.metric = 'n' AND r.ts >= to_timestamp($1) GROUP BY d.id`,
      [from / 1000],
    );
    return new Map(rows.map(({ id, numbers }) => [id, numbers]));
  }
}

function add(found: StoredFaults, deviceId: string, { messages, lost, twice, outOfOrder }: Comparison): void {
  found.messages += messages;
  found.lost += lost.length;
  found.twice += twice.length;
  found.disordered += outOfOrder.length;
  const examples = [
    ...lost.map((number) => `${deviceId}: ${number} is acknowledged and not stored`),
    ...twice.map((number) => `${deviceId}: ${number} is stored more than once`),
    ...outOfOrder.map((number) => `${deviceId}: ${number} is stored after a later one`),
  ];
  found.examples.push(...examples.slice(0, MAX_EXAMPLES - found.examples.length));
}
