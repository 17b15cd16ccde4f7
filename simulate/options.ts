import { parseArgs } from "node:util";
import { FAULTS, type FaultKind } from "./faults/draw.ts";
import { LEAST_METRICS } from "./load/payload.ts";
import type { Address, Qos } from "./load/protocol.ts";
import { OPTIONS, type OptionName } from "./option-texts.ts";

/** Devices that one load process is given where `--processes` is absent. */
const DEVICES_OF_PROCESS = 2_500;
const MQTT_PORT = 8883;

/** What the command line says, checked. */
export interface Options {
  readonly start: number | undefined;
  readonly database: string | undefined;
  readonly nats: number;
  readonly ingest: "direct" | "stream";
  /** Worker processes of a started node; with {@link Options.faults}. */
  readonly workers: number;
  readonly https: readonly string[];
  readonly mqtt: readonly Address[];
  readonly ca: string | undefined;
  readonly apiKeyFile: string | undefined;
  readonly claimCode: string | undefined;
  readonly deviceType: string | undefined;
  readonly gateways: string | undefined;
  readonly keep: string | undefined;
  readonly devices: number;
  readonly processes: number;
  readonly every: number;
  /** Share of the devices that publish at each QoS; their sum is 1. */
  readonly qos: readonly { qos: Qos; share: number }[];
  readonly metrics: number;
  readonly rules: number;
  readonly subscribers: number | undefined;
  readonly commands: number;
  readonly ramp: number;
  readonly seconds: number;
  readonly storms: number;
  /** From 1. */
  readonly killNodes: readonly number[];
  /** From 1. */
  readonly killNats: readonly number[];
  readonly killPids: readonly number[];
  /** Seconds of each. */
  readonly pausePostgresql: readonly number[];
  /** Seconds of each. */
  readonly stopPostgresql: readonly number[];
  readonly revoke: number;
  readonly faults: number;
  readonly seed: number;
  /** Only these; all when empty. */
  readonly faultKinds: readonly FaultKind[];
  /** In seconds. */
  readonly longest: number;
  readonly backWithin: number;
  readonly checkStored: number;
  readonly json: string | undefined;
}

/** An option is missing or wrong; the message says which and what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Given = { [Name in OptionName]?: string[] };

/** @param args of the command line. @returns `help` where that is asked for. @throws UsageError */
export function parseOptions(args: readonly string[]): Options | "help" {
  const given = parse(args);
  if (given === "help") return given;
  const one = (name: OptionName): string | undefined => {
    const values = given[name] ?? [];
    if (values.length > 1) throw new UsageError(`--${name} is given ${values.length} times; once is valid.`);
    return values[0];
  };
  const whole = (name: OptionName, otherwise: number, least: number, most = 1_000_000) =>
    number(name, one(name), otherwise, { least, most, whole: true });
  const each = (name: OptionName, least: number, most: number) =>
    (given[name] ?? []).map((text) => number(name, text, 0, { least, most, whole: true }));
  const start = one("start") === undefined ? undefined : whole("start", 1, 1, 9);
  const devices = whole("devices", 100, 1);
  const options: Options = {
    start,
    database: one("database"),
    nats: whole("nats", start !== undefined && start > 1 ? 3 : 0, 0, 9),
    ingest: ingestWay(one("ingest") ?? "direct"),
    workers: whole("workers", 2, 2, 16),
    https: (given.https ?? []).map(httpsUrl),
    mqtt: (given.mqtt ?? []).map(address),
    ca: one("ca"),
    apiKeyFile: one("api-key-file"),
    claimCode: one("claim-code"),
    deviceType: one("device-type"),
    gateways: one("gateways"),
    keep: one("keep"),
    devices,
    processes: whole("processes", Math.ceil(devices / DEVICES_OF_PROCESS), 1, 64),
    every: number("every", one("every"), 10, { least: 0.02, most: 86_400, whole: false }),
    qos: qosMix(one("qos") ?? "1"),
    metrics: whole("metrics", LEAST_METRICS, LEAST_METRICS, 200),
    rules: whole("rules", 0, 0, 100),
    subscribers: one("subscribers") === undefined ? undefined : whole("subscribers", 0, 0, 100),
    commands: number("commands", one("commands"), 0, { least: 0, most: 1_000, whole: false }),
    ramp: whole("ramp", 100, 1),
    seconds: whole("seconds", 30, 1, 86_400),
    storms: whole("storms", 0, 0, 1_000),
    killNodes: each("kill-node", 1, 9),
    killNats: each("kill-nats", 1, 9),
    killPids: each("kill-pid", 2, 4_194_304),
    pausePostgresql: each("pause-postgresql", 1, 3_600),
    stopPostgresql: each("stop-postgresql", 1, 3_600),
    revoke: whole("revoke", 0, 0, devices),
    faults: whole("faults", 0, 0, 10_000),
    seed: whole("seed", 1, 0, 4_294_967_295),
    faultKinds: (given.fault ?? []).map(faultKind),
    longest: number("longest", one("longest"), 60, { least: 1, most: 3_600, whole: false }),
    backWithin: number("back-within", one("back-within"), 60, { least: 1, most: 3_600, whole: false }),
    checkStored: whole("check-stored", 100, 0),
    json: one("json"),
  };
  checkTogether(options);
  return options;
}

function parse(args: readonly string[]): Given | "help" {
  const strings = Object.fromEntries(
    Object.keys(OPTIONS).map((name) => [name, { type: "string" as const, multiple: true as const }]),
  );
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { ...strings, help: { type: "boolean", short: "h", default: false } },
      allowPositionals: false,
    });
    const { help, ...given } = values;
    return help ? "help" : (given as Given);
  } catch (error) {
    // Node's sentence names the option; what it adds about positional arguments misleads here.
    throw new UsageError(`${(error as Error).message.split(". ")[0]!.replace(/\.$/, "")}.`);
  }
}

/** Options that need each other, or exclude each other. */
function checkTogether(options: Options): void {
  const { start, https, nats, killNodes, killNats, killPids, claimCode, apiKeyFile, keep, revoke, commands, database } =
    options;
  const fail = (message: string) => {
    throw new UsageError(message);
  };
  if ((start === undefined) === (https.length === 0))
    fail("Name the Muster to load: either --start <nodes>, or --https <url> of one that runs.");
  if (start === undefined) {
    if (killNodes.length + killNats.length > 0)
      fail("--kill-node and --kill-nats need --start: name other processes by --kill-pid.");
    if (commands > 0) fail("--commands needs --start: the public API sends no commands.");
    if (options.pausePostgresql.length + options.stopPostgresql.length > 0)
      fail("--pause-postgresql and --stop-postgresql need --start.");
    if (options.rules > 0) fail("--rules needs --start: the rules of a Muster that runs are its own.");
    if (options.subscribers !== undefined) fail("--subscribers needs --start: name others by --gateways.");
    if (options.ingest === "stream") fail("--ingest needs --start: a Muster that runs has its settings.");
    if (database !== undefined) fail("--database needs --start: a Muster that runs has its database.");
    if (apiKeyFile === undefined && claimCode === undefined && keep === undefined)
      fail("Devices enroll with --claim-code <code> or --api-key-file <file>.");
    if (revoke > 0 && apiKeyFile === undefined) fail("--revoke needs --api-key-file.");
    if (revoke > 0 && keep !== undefined)
      fail("--revoke and --keep exclude each other: revoked devices cannot connect again.");
  } else {
    const own = ["mqtt", "ca", "api-key-file", "claim-code", "device-type", "gateways", "keep"] as const;
    const values = {
      ...options,
      "api-key-file": apiKeyFile,
      "claim-code": claimCode,
      "device-type": options.deviceType,
    };
    for (const name of own)
      if (values[name] !== undefined && values[name].length > 0)
        fail(`--${name} is for a Muster that runs, not for --start.`);
    if (nats > 0 && start === 1) fail("--nats needs --start 2 or more.");
    if (options.pausePostgresql.length + options.stopPostgresql.length > 0 && (start === 1 || database !== undefined))
      fail(
        "--pause-postgresql and --stop-postgresql need a PostgreSQL that is started: --start 2 or more, no --database.",
      );
    if (options.ingest === "stream" && nats === 0) fail("--ingest stream needs NATS: --start 2 or more.");
    checkKills("kill-node", killNodes, "start", start, "nodes");
    checkKills("kill-nats", killNats, "nats", nats, "NATS servers");
  }
  if (options.faults > 0 && (start === undefined || start < 2)) fail("--faults needs --start 2 or more.");
  if (options.faults > 0 && database !== undefined)
    fail("--faults excludes --database: PostgreSQL is paused and killed.");
  for (const pid of killPids) if (!isRunning(pid)) fail(`--kill-pid ${pid}: no such process.`);
}

/** @param started how many of them `--${by}` starts */
function checkKills(name: string, killed: readonly number[], by: string, started: number, what: string): void {
  const most = Math.max(...killed, 0);
  const range = started > 1 ? `the ${what} 1 to ${started}` : started === 1 ? "only one" : "none";
  if (most > started) throw new UsageError(`--${name} ${most}: --${by} ${started} starts ${range}.`);
  if (new Set(killed).size !== killed.length) throw new UsageError(`--${name} names one twice.`);
  if (killed.length > 0 && killed.length === started)
    throw new UsageError(`--${name} must leave one of the ${what}: start more of them.`);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly whole: boolean;
}

function number(name: string, text: string | undefined, otherwise: number, { least, most, whole }: Bounds): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  const isValid = text.trim() !== "" && value >= least && value <= most && (!whole || Number.isInteger(value));
  if (!isValid)
    throw new UsageError(
      `--${name} ${text}: ${whole ? "a whole number" : "a number"} from ${least} to ${most} is valid.`,
    );
  return value;
}

function httpsUrl(text: string): string {
  if (!URL.canParse(text) || new URL(text).protocol !== "https:")
    throw new UsageError(`--https ${text}: an address such as https://muster.example:8443 is valid.`);
  return text.replace(/\/+$/, "");
}

function address(text: string): Address {
  const url = `mqtts://${text.replace(/^mqtts:\/\//, "")}`;
  const { hostname = "", port = "" } = URL.canParse(url) ? new URL(url) : {};
  if (hostname === "") throw new UsageError(`--mqtt ${text}: host:port is valid.`);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || MQTT_PORT) };
}

function ingestWay(text: string): Options["ingest"] {
  if (text !== "direct" && text !== "stream") throw new UsageError(`--ingest ${text}: direct or stream is valid.`);
  return text;
}

function faultKind(text: string): FaultKind {
  if (!Object.hasOwn(FAULTS, text))
    throw new UsageError(`--fault ${text}: valid are ${Object.keys(FAULTS).join(", ")}.`);
  return text as FaultKind;
}

/** `1`, or `0:10,1:80,2:10`. */
function qosMix(text: string): { qos: Qos; share: number }[] {
  const parts = text.split(",").map((part) => /^([012])(?::(\d+))?$/.exec(part.trim()));
  const weights = parts.map((part) => Number(part?.[2] ?? 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (parts.includes(null) || total === 0)
    throw new UsageError(`--qos ${text}: 0, 1 or 2, or shares of them such as 0:10,1:80,2:10 are valid.`);
  return parts.map((part, index) => ({ qos: Number(part![1]) as Qos, share: weights[index]! / total }));
}
