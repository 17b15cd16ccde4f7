import { throwIfEnded } from "../load/interrupt.ts";
import { sleep } from "../load/measure.ts";
import type { Fleet } from "./clients/fleet.ts";
import { nowMs } from "./clients/protocol.ts";
import { CommandSender } from "./commands.ts";
import { Figures } from "./figures/figures.ts";
import type { Options } from "./options.ts";
import { allStored, backlogStored, type Outage, outagesOf } from "./outage.ts";
import { revokeSome } from "./revoke.ts";
import type { Measured } from "./target/part-meter.ts";
import type { Target } from "./target/target.ts";
import { untilSo } from "./until.ts";

const POLL_MS = 50;
const PROGRESS_MS = 5_000;
/** The longest that clients of a killed process may take to notice. */
const NOTICE_MS = 3_000;
/** The time for which all must stay connected until they count as back. */
const STEADY_MS = 500;
/** Beyond the time of the ramp. */
const RAMP_SECONDS = 60;
const LAST_SECONDS = 30;
/** Without a further arrival for this long, no message is in flight. */
const QUIET_MS = 1_000;

/** One part of the course, with its figures. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
  readonly figures: Figures;
  /** The seconds of an event until all clients were connected again; `undefined` where they were not. */
  readonly back?: { readonly lost: number; readonly seconds: number | undefined };
  /** The broken promises. */
  readonly failures?: readonly string[];
  /** The measurements of started processes. */
  readonly measured?: Measured | undefined;
}

interface Run {
  readonly fleet: Fleet;
  readonly target: Target;
  readonly options: Options;
  readonly progress: (line: string) => void;
  readonly phases: Phase[];
  /** This process's own figures of the present phase. */
  figures: Figures;
}

/** A course that is over. */
export interface Course {
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  readonly phases: readonly Phase[];
  readonly commands: CommandSender | undefined;
}

/** Connects the clients, publishes through all events of the options, and waits for the last acknowledgements. */
export async function runCourse(given: Omit<Run, "phases" | "figures">): Promise<Course> {
  const run: Run = { ...given, phases: [], figures: new Figures() };
  const { fleet, target, options } = run;
  const beganAt = nowMs();
  const { commands: perSecond } = options;
  const commands = perSecond > 0 ? new CommandSender(target, perSecond, () => run.figures) : undefined;
  await phase(run, "ramp", () => rampUp(run));
  await fleet.publish(true);
  commands?.start();
  try {
    await phase(run, "steady", () => steady(run, options.seconds * 1000));
    await events(run);
    await fleet.publish(false);
  } finally {
    await commands?.stop();
  }
  await phase(run, "last messages", () => finish(run));
  return { beganAt, phases: run.phases, commands };
}

async function events(run: Run): Promise<void> {
  const { fleet, target, options } = run;
  const cluster = target.own?.cluster;
  for (let storm = 1; storm <= options.storms; storm++)
    await event(run, options.storms === 1 ? "storm" : `storm ${storm}`, () => fleet.storm());
  for (const node of options.killNodes)
    await event(run, `node ${node} killed`, () => void cluster!.nodes[node - 1]!.kill());
  for (const server of options.killNats)
    await event(run, `NATS server ${server} killed`, () => cluster!.nats[server - 1]!.kill());
  for (const pid of options.killPids)
    await event(run, `process ${pid} killed`, () => void process.kill(pid, "SIGKILL"));
  if (options.revoke > 0) await phase(run, "revocations", () => revokeSome(fleet, target, options.revoke, run.figures));
  for (const each of outagesOf(options)) await outage(run, each);
}

type Back = NonNullable<Phase["back"]>;

// biome-ignore lint/suspicious/noConfusingVoidType: most phases have no outcome
type Outcome = Pick<Phase, "back" | "failures"> | void;

async function phase(run: Run, name: string, work: () => Promise<Outcome>): Promise<void> {
  throwIfEnded();
  run.progress(name);
  const began = nowMs();
  const outcome = await work();
  const figures = await run.fleet.takeFigures();
  figures.merge(run.figures.data());
  run.figures = new Figures();
  const measured = run.target.own?.meter.take();
  run.phases.push({ name, seconds: (nowMs() - began) / 1000, figures, ...outcome, measured });
}

async function rampUp({ fleet, options, progress }: Run): Promise<void> {
  await fleet.connectGateways();
  if (!(await untilSo(RAMP_SECONDS, async () => isUp(await fleet.status("gateways")))))
    throw new Error(`The gateways cannot subscribe: ${await reasons(fleet)}`);
  await fleet.connectDevices(options.ramp);
  const seconds = options.devices / options.ramp + RAMP_SECONDS;
  if (await untilSo(seconds, async () => isUp(await shown(fleet, progress)()))) return;
  const { clients, connected } = await fleet.status();
  throw new Error(`Only ${connected} of ${clients} clients are connected after ${seconds} s: ${await reasons(fleet)}`);
}

async function reasons(fleet: Fleet): Promise<string> {
  const { errors } = await fleet.takeFigures();
  return [...errors].map(([what, count]) => `${what} (${count} times)`).join("; ") || "no answer";
}

async function steady({ fleet, progress }: Run, ms: number): Promise<void> {
  const status = shown(fleet, progress);
  const end = nowMs() + ms;
  for (let left = ms; left > 0; left = end - nowMs()) {
    throwIfEnded();
    await sleep(Math.min(left, POLL_MS));
    await status();
  }
}

/** Breaks connections, waits until all are back, and goes on for a steady phase. */
async function event(run: Run, name: string, cause: () => unknown): Promise<void> {
  const { fleet, options } = run;
  await phase(run, name, async () => {
    const before = (await fleet.status()).lostConnections;
    const began = nowMs();
    await cause();
    const back = await allBack(run, began, before);
    if (back.seconds === undefined) run.progress(`not all are back after ${options.backWithin} s`);
    else run.progress(`all are back after ${back.seconds.toFixed(2)} s`);
    return { back };
  });
  await phase(run, `after ${name}`, () => steady(run, options.seconds * 1000));
}

/** Stops PostgreSQL for a while, waits until all clients are connected and the backlog is stored, and goes on. */
async function outage(run: Run, { name, seconds, begin, end }: Outage): Promise<void> {
  const { fleet, target, options } = run;
  const isStreamed = options.ingest === "stream";
  const postgres = target.own!.cluster.postgres!;
  const { lostConnections } = await fleet.status();
  await phase(run, name, async () => {
    await begin(postgres);
    await steady(run, seconds * 1000).finally(() => end(postgres));
  });
  await phase(run, `${name}: backlog`, async () => {
    const back = await allBack(run, nowMs(), lostConnections);
    const within = seconds + options.backWithin;
    const failures = [];
    if (isStreamed && !(await backlogStored(target, within)))
      failures.push(`acknowledged messages were not stored within ${within} s`);
    if (isStreamed && back.lost > 0) failures.push(`connections that the stream should have kept: ${back.lost} lost`);
    return { back, failures };
  });
  await phase(run, `after ${name}`, () => steady(run, options.seconds * 1000));
}

async function allBack({ fleet, options, progress }: Run, began: number, lostBefore: number): Promise<Back> {
  const status = shown(fleet, progress);
  let [lost, upSince] = [0, 0];
  const isBack = await untilSo(options.backWithin + STEADY_MS / 1000, async () => {
    const now = await status();
    lost = now.lostConnections - lostBefore;
    if (!isUp(now)) upSince = 0;
    else upSince ||= nowMs();
    if (upSince === 0) return false;
    return nowMs() - upSince >= STEADY_MS && (lost > 0 || nowMs() - began >= NOTICE_MS);
  });
  if (!isBack) return { lost, seconds: undefined };
  const { lastConnectedAt } = await fleet.status();
  return { lost, seconds: lost === 0 ? 0 : (lastConnectedAt - began) / 1000 };
}

/** Waits for the last acknowledgements and deliveries. */
async function finish({ fleet, target, options }: Run): Promise<void> {
  let [received, since] = [-1, 0];
  await untilSo(LAST_SECONDS, async () => {
    const now = await fleet.status();
    if (now.received !== received) [received, since] = [now.received, nowMs()];
    return now.inFlight === 0 && nowMs() - since >= QUIET_MS;
  });
  if (options.ingest === "stream") await allStored(target, LAST_SECONDS);
}

const isUp = ({ clients, connected }: { clients: number; connected: number }) => clients === connected;

let lastShown = 0;

/** Returns a function that asks for the status, and prints it every few seconds. */
function shown(fleet: Fleet, progress: (line: string) => void) {
  return async () => {
    const status = await fleet.status();
    if (nowMs() - lastShown < PROGRESS_MS) return status;
    lastShown = nowMs();
    const { connected, clients, published, received, inFlight } = status;
    const messages = `${published} published, ${inFlight} unacknowledged, ${received} received`;
    progress(`${connected}/${clients} connected, ${messages}`);
    return status;
  };
}
