import { query } from "../../load/postgres.ts";
import type { Fleet } from "../clients/fleet.ts";
import { type DeviceResult, nowMs } from "../clients/protocol.ts";
import type { Cluster } from "../target/cluster.ts";
import type { Target } from "../target/target.ts";
import { untilSo } from "../until.ts";
import { LogSummary } from "./logs.ts";
import type { Revocations } from "./revocations.ts";
import { StoredCheck, type StoredFaults } from "./stored.ts";
import type { Twins } from "./twins.ts";

/** The time for messages in flight, and for the remains of killed processes. */
const RECOVERY_SECONDS = 90;
const POLL_MS = 200;
const MAX_EXAMPLES = 5;

interface Given {
  readonly fleet: Fleet;
  readonly target: Target;
  readonly cluster: Cluster;
  readonly twins: Twins;
  readonly revocations: Revocations;
}

const recovers = (isSo: () => Promise<boolean>) => untilSo(RECOVERY_SECONDS, isSo, POLL_MS);

/** Compares the clients' knowledge with the database. Each check adds broken promises to `failures`. */
export class Checks {
  readonly #given: Given;
  readonly #began: number;
  readonly #stored: StoredCheck;

  /** @param began milliseconds since 1970, before the first message */
  constructor(given: Given, began: number) {
    this.#given = given;
    this.#began = began;
    this.#stored = new StoredCheck(given.cluster.databaseUrl!, began);
  }

  /** Stops publishing, waits for messages in flight, and compares. */
  async awaitStored(failures: string[]): Promise<StoredFaults> {
    const { fleet, target, twins, revocations } = this.#given;
    await fleet.publish(false);
    const isDone = await recovers(async () => (await fleet.status()).inFlight === 0);
    if (!isDone) failures.push(`${(await fleet.status()).inFlight} messages stay without an acknowledgement`);
    const now = nowMs();
    const devices = await fleet.deviceResults();
    await recovers(async () => (await this.#stored.missing(devices)) === 0);
    const stored = await this.#stored.recent(devices, now);
    if (isWrong(stored)) {
      const counts = `${stored.lost} lost, ${stored.twice} stored twice, ${stored.disordered} out of order`;
      failures.push(`${counts}: ${stored.examples.join("; ")}`);
    }
    failures.push(...twins.violations.splice(0), ...(await revocations.admitted(target.addresses)));
    let wrong: string[] = [];
    await recovers(async () => {
      wrong = await this.#wrongSessions(devices);
      return wrong.length === 0;
    });
    failures.push(...wrong);
    return stored;
  }

  /** Compares everything, runs `muster doctor --deep`, and reads all logs. */
  async finish(failures: string[]): Promise<{ total: StoredFaults; logs: LogSummary }> {
    const { fleet, cluster } = this.#given;
    await this.awaitStored(failures);
    const total = await this.#stored.all(await fleet.deviceResults(), this.#began);
    if (isWrong(total)) failures.push(`in all: ${total.examples.join("; ")}`);
    failures.push(...(await this.#wrongOfTwins()));
    const { healthy, checks } = await cluster.shell("doctor", { deep: true });
    for (const { name, level, ok, broken, examples } of checks)
      if (!ok && level === "must") failures.push(`doctor: ${name}: ${broken}, such as ${examples[0]}`);
    if (!healthy) failures.push("doctor: not healthy");
    const logs = new LogSummary();
    for (const node of cluster.nodes) logs.add(node.logLines());
    for (const [what, { count, example }] of logs.unhandled) failures.push(`log: ${what} (${count}): ${example}`);
    return { total, logs };
  }

  /** Compares sessions in the database with connected clients. */
  async #wrongSessions(devices: readonly DeviceResult[]): Promise<string[]> {
    const { cluster, revocations, twins } = this.#given;
    const rows = await query<{ client_id: string }>(cluster.databaseUrl!, "SELECT client_id FROM mqtt_sessions");
    const stored = new Set(rows.map(({ client_id }) => client_id));
    const missing = devices.filter(({ deviceId, isRevoked }) => !isRevoked && !stored.has(deviceId));
    const examples = missing.slice(0, MAX_EXAMPLES);
    return [
      ...revocations.ids.filter((id) => stored.has(id)).map((id) => `${id} has a session although it is revoked`),
      ...examples.map(({ deviceId }) => `${deviceId} is connected and has no session in the database`),
      ...twins.open(),
    ];
  }

  /** The acknowledged messages of twins are stored, and once: they send no message again. */
  async #wrongOfTwins(): Promise<string[]> {
    const acknowledged = this.#given.twins.acknowledged();
    const rows = await query<{ id: string; number: number; times: string }>(
      this.#given.cluster.databaseUrl!,
      `SELECT d.id, r.number, count(*) AS times FROM shared_readings r JOIN devices d ON d.uid = r.device_uid
        WHERE r.metric = 'n' AND d.id = ANY($1) GROUP BY d.id, r.number`,
      [[...acknowledged.keys()]],
    );
    const stored = new Set(rows.map(({ id, number }) => `${id}: ${number}`));
    const sent = [...acknowledged].flatMap(([id, numbers]) => numbers.map((number) => `${id}: ${number}`));
    const lost = sent.filter((each) => !stored.has(each));
    const twice = rows.filter(({ times }) => Number(times) > 1).map(({ id, number }) => `${id}: ${number}`);
    const some = (all: readonly string[], what: string) =>
      all.slice(0, MAX_EXAMPLES).map((each) => `${each} is ${what} (${all.length} such)`);
    return [...some(twice, "stored twice"), ...some(lost, "acknowledged and not stored")];
  }
}

const isWrong = ({ lost, twice, disordered }: StoredFaults) => lost + twice + disordered > 0;
