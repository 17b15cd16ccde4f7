import { query } from "../../bench/peers/postgres.ts";
import type { DeviceResult } from "../load/protocol.ts";

/** What is wrong with stored messages, each as a count and with an example. */
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

interface Mark {
  readonly at: number;
  readonly published: ReadonlyMap<string, number>;
}

/** Compares what devices have sent with what is stored of it. */
export class StoredCheck {
  readonly #databaseUrl: string;
  /** Of the last two checks: a message that was stored once may be stored again later. */
  #marks: Mark[];

  /** @param now milliseconds since 1970, before the first message */
  constructor(databaseUrl: string, now: number) {
    this.#databaseUrl = databaseUrl;
    this.#marks = [{ at: now, published: new Map() }];
  }

  /** Compares what was published since the check before the last one. @param now before `devices` were asked */
  async recent(devices: readonly DeviceResult[], now: number): Promise<StoredFaults> {
    const found = await this.#compare(devices, this.#marks[0]!);
    this.#marks = [
      ...this.#marks,
      { at: now, published: new Map(devices.map((each) => [each.deviceId, each.published])) },
    ];
    this.#marks = this.#marks.slice(-2);
    return found;
  }

  /** Compares everything. @param began milliseconds since 1970 */
  async all(devices: readonly DeviceResult[], began: number): Promise<StoredFaults> {
    return await this.#compare(devices, { at: began, published: new Map() });
  }

  /** How many acknowledged messages since the check before the last one are not stored (yet). */
  async missing(devices: readonly DeviceResult[]): Promise<number> {
    return (await this.#compare(devices, this.#marks[0]!)).lost;
  }

  async #compare(devices: readonly DeviceResult[], { at, published }: Mark): Promise<StoredFaults> {
    const stored = await this.#stored(at - MARGIN_MS);
    const found: StoredFaults = { messages: 0, lost: 0, twice: 0, disordered: 0, examples: [] };
    for (const device of devices)
      compareDevice(device, stored.get(device.deviceId) ?? [], published.get(device.deviceId) ?? 0, found);
    return found;
  }

  /** Device id → its numbers in the order of their times. */
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

/** @param numbers stored ones, some before `from`, which are not compared */
function compareDevice(device: DeviceResult, numbers: readonly number[], from: number, found: StoredFaults): void {
  const times = new Map<number, number>();
  let highest = -1;
  const example = (what: string) => {
    if (found.examples.length < MAX_EXAMPLES) found.examples.push(`${device.deviceId}: ${what}`);
  };
  for (const number of numbers.filter((each) => each >= from)) {
    const before = times.get(number) ?? 0;
    times.set(number, before + 1);
    if (before === 0 && number < highest) {
      found.disordered++;
      example(`${number} is stored after ${highest}`);
    }
    highest = Math.max(highest, number);
  }
  const excepted = new Set([...device.refused, ...device.unacknowledged]);
  const repeated = new Set(device.repeated);
  for (let number = from; number < device.published; number++) {
    const stored = times.get(number) ?? 0;
    found.messages++;
    if (stored === 0 && !excepted.has(number)) {
      found.lost++;
      example(`${number} is acknowledged and not stored`);
    }
    if (stored > 1 && !repeated.has(number)) {
      found.twice++;
      example(`${number} is stored ${stored} times`);
    }
  }
}
