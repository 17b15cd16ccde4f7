import { throwIfEnded } from "../../load/interrupt.ts";
import { sleep } from "../../load/measure.ts";
import type { Fleet } from "../clients/fleet.ts";
import { nowMs } from "../clients/protocol.ts";
import { Figures } from "../figures/figures.ts";
import type { Options } from "../options.ts";
import type { Cluster } from "../target/cluster.ts";
import { ROLES, type Role } from "../target/node.ts";
import type { Target } from "../target/target.ts";
import { untilSo } from "../until.ts";
import { Checks } from "./checks.ts";
import { drawFaults, type Fault, type FaultKind } from "./draw.ts";
import { type Injection, injectionOf } from "./inject.ts";
import type { LogSummary } from "./logs.ts";
import { type Revocation, Revocations } from "./revocations.ts";
import type { StoredFaults } from "./stored.ts";
import { Twins } from "./twins.ts";

/** The default lease of nodes. */
const LEASE_SECONDS = 10;
/** The longest that sessions of a revoked certificate live on while everything works. */
const QUIET_END_SECONDS = 5;
/** While a fault lasts, a node that cannot know of a revocation closes its sessions after its lease. */
const FAULT_END_SECONDS = LEASE_SECONDS + 2;
const RECOVERY_SECONDS = 90;
/** A time between faults that takes this much longer than asked for: all processes of the machine were stopped. */
const STOPPED_SECONDS = 20;
/** The time for which all must stay connected until they count as back. */
const STEADY_MS = 1_000;
/** The time between two simultaneous connects of a client id. */
const TWIN_SECONDS = 4;
/** A certificate is revoked between faults once in this many. */
const QUIET_REVOCATIONS = 3;
const KILLS: readonly FaultKind[] = ["worker", "jobs", "supervisor", "node"];

/** The consequences of a fault. */
export interface FaultResult {
  readonly fault: Fault;
  readonly target: string;
  /** From its end (of a kill: its beginning) until all clients were connected; undefined: never. */
  readonly backSeconds: number | undefined;
  readonly figures: Figures;
  readonly stored: StoredFaults;
  readonly revocation: Revocation | undefined;
  /** The broken promises. */
  readonly failures: readonly string[];
}

/** The result of a whole run. */
export interface FaultRun {
  readonly results: readonly FaultResult[];
  /** The figures between the faults. */
  readonly quiet: Figures;
  readonly total: StoredFaults;
  readonly logs: LogSummary;
  /** The largest resident memory of a process at each fault. */
  readonly memory: Readonly<Record<Role, readonly number[]>>;
  /** The broken promises of the whole run. */
  readonly failures: readonly string[];
}

interface Given {
  readonly fleet: Fleet;
  readonly target: Target;
  readonly cluster: Cluster;
  readonly options: Options;
  readonly kinds: readonly FaultKind[];
  readonly progress: (line: string) => void;
}

/** Injects faults one after the other while devices publish, and compares acknowledged with stored messages. */
export class FaultCourse {
  readonly #given: Given;
  readonly #quiet = new Figures();
  readonly #results: FaultResult[] = [];
  readonly #failures: string[] = [];
  readonly #memory: Record<Role, number[]> = { supervisor: [], jobs: [], serve: [] };
  readonly #checks: Checks;
  readonly #revocations: Revocations;
  readonly #twins: Twins;

  /** @param twins devices of the target that contend for their sessions, which are not in the fleet */
  constructor(given: Given, twins: Target["devices"]) {
    this.#given = given;
    const { cluster, fleet, target } = given;
    const databaseUrl = cluster.databaseUrl!;
    this.#revocations = new Revocations({ api: target.api, fleet, databaseUrl }, target.devices);
    this.#twins = new Twins(twins, target.addresses);
    this.#checks = new Checks({ ...given, twins: this.#twins, revocations: this.#revocations }, nowMs());
  }

  async run(): Promise<FaultRun> {
    const { fleet, options, kinds, progress } = this.#given;
    const { faults: count, seed, start, nats, longest } = options;
    const plan = { count, seed, kinds, nodes: start!, nats, leaseSeconds: LEASE_SECONDS, longestSeconds: longest };
    await this.#revocations.load();
    await fleet.connectGateways();
    await fleet.connectDevices(options.ramp);
    if ((await this.#untilUp(nowMs(), 120)) === undefined) throw new Error("not all devices have connected");
    await fleet.publish(true);
    this.#twins.start(TWIN_SECONDS);
    try {
      for (const [index, fault] of drawFaults(plan).entries()) {
        await this.#quietTime(index);
        progress(`${index + 1}/${count}: ${fault.kind}`);
        await this.#inject(fault);
      }
      await this.#quietTime(0);
    } finally {
      this.#twins.stop();
    }
    progress("comparing everything, muster doctor --deep");
    const failures: string[] = [];
    const found = await this.#checks.finish(failures);
    for (const failure of failures) this.#fail(failure);
    return { ...found, results: this.#results, quiet: this.#quiet, memory: this.#memory, failures: this.#failures };
  }

  /** Measures while everything works. */
  async #quietTime(index: number): Promise<void> {
    throwIfEnded();
    const { fleet, options, progress } = this.#given;
    // Devices that have just moved back to their nodes have settled by then.
    const began = nowMs();
    await sleep(1_000);
    await fleet.takeFigures();
    const end = nowMs() + options.seconds * 1000;
    if (index % QUIET_REVOCATIONS === QUIET_REVOCATIONS - 1) {
      const revocation = await this.#revocations.revoke(QUIET_END_SECONDS, () => nowMs() > end + 30_000);
      if (revocation) this.#quiet.time("revocation answered", revocation.answeredMs);
      if (revocation?.endedMs === undefined) this.#fail(`${revocation?.deviceId}: not closed after its revocation`);
      else this.#quiet.time("revocation", Math.max(0, revocation.answeredMs + revocation.endedMs));
    }
    await sleep(Math.max(0, end - nowMs()));
    const figures = await fleet.takeFigures();
    const seconds = (nowMs() - began) / 1000;
    if (seconds < options.seconds + STOPPED_SECONDS) return this.#quiet.merge(figures.data());
    progress(`  this machine has stood still for some of the last ${seconds.toFixed(0)} s: they are not counted`);
    await this.#untilUp(nowMs(), RECOVERY_SECONDS);
  }

  async #inject(fault: Fault): Promise<void> {
    const { fleet, cluster, progress } = this.#given;
    const injection = await injectionOf(cluster, fault);
    if (!injection) return this.#fail(`${fault.kind}: there is nothing that it could happen to`);
    const failures: string[] = [];
    const { backSeconds, revocation } = await this.#during(fault, injection, failures);
    const stored = await this.#checks.awaitStored(failures);
    const figures = await fleet.takeFigures();
    const late = figures.count("out of order");
    if (late > 0) failures.push(`${late} messages arrived at gateways after a later one of their device`);
    const result = { fault, target: injection.target, backSeconds, figures, stored, revocation, failures };
    this.#results.push(result);
    const memory = cluster.nodes.flatMap((node) => node.memory());
    for (const role of ROLES)
      this.#memory[role].push(Math.max(0, ...memory.filter(([of]) => of === role).map(([, bytes]) => bytes)));
    for (const failure of failures) progress(`  FAILED: ${failure}`);
    progress(`  ${injection.target}, ${lineOf(result)}`);
    await fleet.goHome();
    await this.#untilUp(nowMs(), RECOVERY_SECONDS);
    await fleet.publish(true);
  }

  /** Begins and ends the fault, waits until all clients are back, and repairs it. */
  async #during(fault: Fault, injection: Injection, failures: string[]) {
    const { fleet, options } = this.#given;
    let isOver = false;
    const began = nowMs();
    const revoking = fault.revokes ? this.#revokeDuring(() => isOver) : Promise.resolve(undefined);
    await injection.begin();
    const isKill = KILLS.includes(fault.kind);
    if (!isKill && fault.kind !== "restart") await sleep(fault.seconds * 1000);
    await injection.end();
    const backSeconds = await this.#untilUp(isKill ? began : nowMs(), options.backWithin);
    if (backSeconds === undefined) {
      const { clients, connected } = await fleet.status();
      failures.push(`not all are back after ${options.backWithin} s: ${connected} of ${clients}`);
    }
    await injection.repair();
    const back = await this.#untilUp(nowMs(), RECOVERY_SECONDS);
    if (back === undefined) failures.push("not all are connected after the repair");
    const revocation = await revoking.catch((error: Error) => void failures.push(error.message));
    isOver = true;
    if (revocation && revocation.endedMs === undefined)
      failures.push(`${revocation.deviceId}: its session did not end after its revocation`);
    return { backSeconds, revocation: revocation ?? undefined };
  }

  async #revokeDuring(isOver: () => boolean): Promise<Revocation | undefined> {
    await sleep(1_000);
    return await this.#revocations.revoke(FAULT_END_SECONDS, isOver);
  }

  /** Waits until all stay connected for a moment. @returns seconds since `since`; undefined after `seconds` */
  async #untilUp(since: number, seconds: number): Promise<number | undefined> {
    let [upSince, lastConnected] = [0, 0];
    const isUp = await untilSo(seconds, async () => {
      const { clients, connected, lastConnectedAt } = await this.#given.fleet.status();
      lastConnected = lastConnectedAt;
      if (clients !== connected) upSince = 0;
      else upSince ||= nowMs();
      // A client whose node has just been killed notices it within this time.
      return upSince > 0 && nowMs() - upSince > STEADY_MS;
    });
    return isUp ? Math.max(0, (lastConnected - since) / 1000) : undefined;
  }

  #fail(what: string): void {
    this.#failures.push(what);
    this.#given.progress(`FAILED: ${what}`);
  }
}

function lineOf({ backSeconds, figures, stored, revocation }: FaultResult): string {
  const p99 = figures.times("acknowledgement")?.percentile(0.99);
  const late = figures.count("out of order");
  return [
    `back after ${backSeconds?.toFixed(1) ?? "never"} s`,
    `acknowledgements p99 ${p99?.toFixed(0) ?? "none"} ms`,
    `${stored.messages} compared, ${stored.lost} lost, ${stored.twice} twice`,
    ...(late > 0 ? [`${late} out of order at gateways`] : []),
    ...(revocation
      ? [`revoked in ${revocation.answeredMs.toFixed(0)} ms, closed ${revocation.endedMs?.toFixed(0)} ms after`]
      : []),
  ].join(", ");
}
