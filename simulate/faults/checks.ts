import { query } from "../../load/postgres.ts";
import type { Fleet } from "../load/fleet.ts";
import { type DeviceResult, nowMs } from "../load/protocol.ts";
import type { Target } from "../target/target.ts";
import type { FaultyCluster } from "./cluster.ts";
import { LogSummary } from "./logs.ts";
import type { Revocations } from "./revocations.ts";
import { StoredCheck, type StoredFaults } from "./stored.ts";
import type { Twins } from "./twins.ts";
import { untilSo } from "./until.ts";

/** For what is on its way, and for what processes that were killed have left. */
const SETTLE_SECONDS = 90;
const MAX_EXAMPLES = 5;

interface Parts {
  readonly fleet: Fleet;
  readonly target: Target;
  readonly cluster: FaultyCluster;
  readonly twins: Twins;
  readonly revocations: Revocations;
}

/** Compares what clients know with the database. Each check adds what is not as promised to `failures`. */
export class Checks {
  readonly #parts: Parts;
  readonly #began: number;
  readonly #stored: StoredCheck;

  /** @param began milliseconds since 1970, before the first message */
  constructor(parts: Parts, began: number) {
    this.#parts = parts;
    this.#began = began;
    this.#stored = new StoredCheck(parts.cluster.databaseUrl, began);
  }

  /** Stops publishing, waits for what is on its way, and compares. */
  async settle(failures: string[]): Promise<StoredFaults> {
    const { fleet, target, twins, revocations } = this.#parts;
    await fleet.publish(false);
    const isDone = await untilSo(SETTLE_SECONDS, async () => (await fleet.status()).inFlight === 0);
    if (!isDone) failures.push(`${(await fleet.status()).inFlight} messages stay without an acknowledgement`);
    const now = nowMs();
    const devices = await fleet.deviceResults();
    await untilSo(SETTLE_SECONDS, async () => (await this.#stored.missing(devices)) === 0);
    const stored = await this.#stored.recent(devices, now);
    if (isWrong(stored))
      failures.push(
        `${stored.lost} lost, ${stored.twice} stored twice, ${stored.disordered} out of order: ${stored.examples.join("; ")}`,
      );
    failures.push(...twins.violations.splice(0), ...(await revocations.admitted(target.addresses)));
    let wrong: string[] = [];
    await untilSo(SETTLE_SECONDS, async () => {
      wrong = await this.#wrongSessions(devices);
      return wrong.length === 0;
    });
    failures.push(...wrong);
    return stored;
  }

  /** Compares everything, has Muster examine its database, and reads all logs. */
  async finish(failures: string[]): Promise<{ total: StoredFaults; logs: LogSummary }> {
    const { fleet, cluster, target } = this.#parts;
    await this.settle(failures);
    const total = await this.#stored.all(await fleet.deviceResults(), this.#began);
    if (isWrong(total)) failures.push(`in all: ${total.examples.join("; ")}`);
    failures.push(...(await this.#wrongOfTwins()));
    const { healthy, checks } = await target.shell!("doctor", { deep: true });
    for (const { name, level, ok, broken, examples } of checks)
      if (!ok && level === "must") failures.push(`doctor: ${name}: ${broken}, such as ${examples[0]}`);
    if (!healthy) failures.push("doctor: not healthy");
    const logs = new LogSummary();
    for (const node of cluster.nodes) logs.add(node.logLines());
    for (const [what, { count, example }] of logs.unhandled) failures.push(`log: ${what} (${count}): ${example}`);
    return { total, logs };
  }

  /** Sessions in the database against connected clients. */
  async #wrongSessions(devices: readonly DeviceResult[]): Promise<string[]> {
    const { cluster, revocations, twins } = this.#parts;
    const rows = await query<{ client_id: string }>(cluster.databaseUrl, "SELECT client_id FROM mqtt_sessions");
    const stored = new Set(rows.map(({ client_id }) => client_id));
    const missing = devices.filter(({ deviceId, isRevoked }) => !isRevoked && !stored.has(deviceId));
    return [
      ...revocations.ids.filter((id) => stored.has(id)).map((id) => `${id} has a session although it is revoked`),
      ...missing
        .slice(0, MAX_EXAMPLES)
        .map(({ deviceId }) => `${deviceId} is connected and has no session in the database`),
      ...twins.open(),
    ];
  }

  /** What the connections of twins had acknowledged is stored, and once: they send nothing twice. */
  async #wrongOfTwins(): Promise<string[]> {
    const acknowledged = this.#parts.twins.acknowledged();
    const rows = await query<{ id: string; number: number; times: string }>(
      this.#parts.cluster.databaseUrl,
      `SELECT d.id, r.number, count(*) AS times FROM shared_readings r JOIN devices d ON d.uid = r.device_uid
        WHERE r.metric = 'n' AND d.id = ANY($1) GROUP BY d.id, r.number`,
      [[...acknowledged.keys()]],
    );
    const stored = new Set(rows.map(({ id, number }) => `${id} ${number}`));
    const twice = rows.filter(({ times }) => Number(times) > 1);
    const lost = [...acknowledged].flatMap(([id, numbers]) =>
      numbers.filter((number) => !stored.has(`${id} ${number}`)).map((number) => `${id}: ${number}`),
    );
    return [
      ...twice
        .slice(0, MAX_EXAMPLES)
        .map(({ id, number }) => `${id}: ${number} is stored twice (${twice.length} such)`),
      ...lost.slice(0, MAX_EXAMPLES).map((each) => `${each} is acknowledged and not stored (${lost.length} such)`),
    ];
  }
}

const isWrong = ({ lost, twice, disordered }: StoredFaults) => lost + twice + disordered > 0;
