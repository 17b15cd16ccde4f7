import { throwIfEnded } from "../../load/interrupt.ts";
import { sleep } from "../../load/measure.ts";
import { Figures } from "../figures/figures.ts";
import type { Fleet } from "../load/fleet.ts";
import { nowMs } from "../load/protocol.ts";
import type { Options } from "../options.ts";
import type { Target } from "../target/target.ts";
import { Checks } from "./checks.ts";
import type { FaultyCluster } from "./cluster.ts";
import { drawFaults, type Fault, type FaultKind } from "./draw.ts";
import { type Injection, injectionOf } from "./inject.ts";
import type { LogSummary } from "./logs.ts";
import type { Part } from "./node.ts";
import { type Revocation, Revocations } from "./revocations.ts";
import type { StoredFaults } from "./stored.ts";
import { Twins } from "./twins.ts";

const POLL_MS = 50;
/** Of nodes, in seconds: the default. */
const LEASE_SECONDS = 10;
/** While everything works, sessions of a revoked certificate end so soon. */
const QUIET_END_SECONDS = 5;
/** While a fault lasts, a node that cannot know of a revocation closes its sessions after its lease. */
const FAULT_END_SECONDS = LEASE_SECONDS + 2;
const SETTLE_SECONDS = 90;
/** By so much a time between faults is longer than asked for where all processes of the machine were stopped. */
const STOPPED_SECONDS = 20;
/** Between two connects of the same client id at once. */
const TWIN_SECONDS = 4;
/** Each so many faults, a certificate is revoked while everything works. */
const QUIET_REVOCATIONS = 3;

/** What a fault did. */
export interface FaultResult {
  readonly fault: Fault;
  readonly target: string;
  /** From its end (of a kill: its beginning) until all clients were connected and nothing was unacknowledged; undefined: never. */
  readonly backSeconds: number | undefined;
  readonly figures: Figures;
  readonly stored: StoredFaults;
  readonly revocation: Revocation | undefined;
  /** What is not as promised. */
  readonly failures: readonly string[];
}

/** What a whole run has found. */
export interface FaultRun {
  readonly results: readonly FaultResult[];
  /** Between the faults. */
  readonly quiet: Figures;
  readonly total: StoredFaults;
  readonly logs: LogSummary;
  /** Largest resident memory of a process: at each fault. */
  readonly memory: Readonly<Record<Part, readonly number[]>>;
  /** Of the whole run. */
  readonly failures: readonly string[];
}

export interface FaultRunOptions {
  readonly fleet: Fleet;
  readonly target: Target;
  readonly cluster: FaultyCluster;
  readonly options: Options;
  readonly kinds: readonly FaultKind[];
  readonly progress: (line: string) => void;
}

/** Injects the faults one after the other while devices publish, and compares after each what was acknowledged with what is stored. */
export class FaultCourse {
  readonly #given: FaultRunOptions;
  readonly #quiet = new Figures();
  readonly #results: FaultResult[] = [];
  readonly #failures: string[] = [];
  readonly #memory: Record<Part, number[]> = { supervisor: [], jobs: [], serve: [] };
  readonly #checks: Checks;
  readonly #revocations: Revocations;
  readonly #twins: Twins;

  /** @param twins devices of the target that contend for their sessions, which are not in the fleet */
  constructor(given: FaultRunOptions, twins: Target["devices"]) {
    this.#given = given;
    const { cluster, fleet, target } = given;
    const { databaseUrl } = cluster;
    this.#revocations = new Revocations({ api: target.api, fleet, databaseUrl }, target.devices);
    this.#twins = new Twins(twins, target.addresses);
    const parts = { fleet, target, cluster, twins: this.#twins, revocations: this.#revocations };
    this.#checks = new Checks(parts, nowMs());
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
    const contending = this.#twins.run(TWIN_SECONDS);
    try {
      for (const [index, fault] of drawFaults(plan).entries()) {
        await this.#quietTime(index);
        progress(`${index + 1}/${count}: ${fault.kind}`);
        await this.#inject(fault);
      }
      await this.#quietTime(0);
    } finally {
      this.#twins.stop();
      await contending;
    }
    return await this.#finish();
  }

  /** Everything works: what clients notice then. */
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
    await this.#untilUp(nowMs(), SETTLE_SECONDS);
  }

  async #inject(fault: Fault): Promise<void> {
    const { fleet, cluster, options, progress } = this.#given;
    const injection = await injectionOf(cluster, fault);
    if (!injection) return this.#fail(`${fault.kind}: there is nothing that it could happen to`);
    const failures: string[] = [];
    const began = nowMs();
    let isOver = false;
    const revoking = fault.revokes ? this.#revokeDuring(() => isOver) : Promise.resolve(undefined);
    const healedAt = await this.#last(fault, injection, began);
    const backSeconds = await this.#untilUp(healedAt, options.backWithin);
    if (backSeconds === undefined)
      failures.push(`not all are back after ${options.backWithin} s: ${await this.#notBack()}`);
    await injection.repair();
    const back = await this.#untilUp(nowMs(), SETTLE_SECONDS);
    if (back === undefined) failures.push("not all are connected after the repair");
    const revocation = await revoking.catch((error: Error) => {
      failures.push(error.message);
      return undefined;
    });
    isOver = true;
    if (fault.revokes && revocation && revocation.endedMs === undefined)
      failures.push(`${revocation.deviceId}: its session did not end after its revocation`);
    const stored = await this.#checks.settle(failures);
    const figures = await fleet.takeFigures();
    const late = figures.count("out of order");
    if (late > 0) failures.push(`${late} messages arrived at gateways after a later one of their device`);
    const result = { fault, target: injection.target, backSeconds, figures, stored, revocation, failures };
    this.#results.push(result);
    this.#recordMemory();
    for (const failure of failures) progress(`  FAILED: ${failure}`);
    progress(`  ${injection.target}, ${lineOf(result)}`);
    await fleet.goHome();
    await this.#untilUp(nowMs(), SETTLE_SECONDS);
    await fleet.publish(true);
  }

  /** @returns when the fault was over */
  async #last(fault: Fault, injection: Injection, began: number): Promise<number> {
    await injection.begin();
    const isKill = ["worker", "jobs", "supervisor", "node"].includes(fault.kind);
    if (isKill) return began;
    if (fault.kind !== "restart") await sleep(fault.seconds * 1000);
    await injection.end();
    return nowMs();
  }

  async #revokeDuring(isOver: () => boolean): Promise<Revocation | undefined> {
    await sleep(1_000);
    return await this.#revocations.revoke(FAULT_END_SECONDS, isOver);
  }

  /** Until all are connected for a moment. @returns seconds since `since`; undefined where they are not within `seconds` */
  async #untilUp(since: number, seconds: number): Promise<number | undefined> {
    const { fleet } = this.#given;
    const end = nowMs() + seconds * 1000;
    // A client whose node has just been killed notices it within this time.
    let upSince = 0;
    for (;;) {
      throwIfEnded();
      const { clients, connected, lastConnectedAt } = await fleet.status();
      if (clients !== connected) upSince = 0;
      else upSince ||= nowMs();
      if (upSince > 0 && nowMs() - upSince > 1_000) return Math.max(0, (lastConnectedAt - since) / 1000);
      if (nowMs() > end) return undefined;
      await sleep(POLL_MS);
    }
  }

  async #notBack(): Promise<string> {
    const { clients, connected } = await this.#given.fleet.status();
    return `${connected} of ${clients}`;
  }

  #recordMemory(): void {
    const all = this.#given.cluster.nodes.flatMap((node) => node.memory());
    for (const part of ["supervisor", "jobs", "serve"] as const) {
      const bytes = all.filter(([of]) => of === part).map(([, size]) => size);
      this.#memory[part].push(Math.max(0, ...bytes));
    }
  }

  async #finish(): Promise<FaultRun> {
    this.#given.progress("comparing everything, muster doctor --deep");
    const failures: string[] = [];
    const { total, logs } = await this.#checks.finish(failures);
    for (const failure of failures) this.#fail(failure);
    return {
      results: this.#results,
      quiet: this.#quiet,
      total,
      logs,
      memory: this.#memory,
      failures: this.#failures,
    };
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
