import { parseArgs } from "node:util";
import { LEAST_METRICS } from "./clients/payload.ts";
import type { Address, Qos } from "./clients/protocol.ts";
import { FAULTS, type FaultKind } from "./faults/draw.ts";
import { OPTIONS, type OptionName } from "./option-texts.ts";

/** The devices of one load process where `--processes` is absent. */
const DEVICES_OF_PROCESS = 2_500;
const MQTT_PORT = 8883;

/** The checked command line. Nodes and NATS servers to kill count from 1, times are in seconds. */
export type Options = Readonly<ReturnType<typeof read>>;

/** An option is missing or wrong; the message says which and what is valid. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

type Given = { [Name in OptionName]?: string[] };

/** Parses the command line. @returns `help` where that is asked for. @throws UsageError */
export function parseOptions(args: readonly string[]): Options | "help" {
  const given = parse(args);
  if (given === "help") return given;
  const options = read(given);
  const problem = conflicts(options, given).find(([applies]) => applies);
  if (problem) throw new UsageError(problem[1]);
  const { start = 0, nats, killNodes, killNats } = options;
  if (start > 0) checkKills("kill-node", killNodes, "start", start, "nodes");
  if (start > 0) checkKills("kill-nats", killNats, "nats", nats, "NATS servers");
  return options;
}

function read(given: Given) {
  const one = (name: OptionName): string | undefined => {
    const values = given[name] ?? [];
    if (values.length > 1) throw new UsageError(`--${name} is given ${values.length} times: give it once.`);
    return values[0];
  };
  const whole = (name: OptionName, otherwise: number, least: number, most = 1_000_000) =>
    number(name, one(name), otherwise, { least, most, whole: true });
  const fraction = (name: OptionName, otherwise: number, least: number, most: number) =>
    number(name, one(name), otherwise, { least, most, whole: false });
  const each = (name: OptionName, least: number, most: number) =>
    (given[name] ?? []).map((text) => number(name, text, 0, { least, most, whole: true }));
  const start = one("start") === undefined ? undefined : whole("start", 1, 1, 9);
  const devices = whole("devices", 100, 1);
  return {
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
    every: fraction("every", 10, 0.02, 86_400),
    qos: qosMix(one("qos") ?? "1"),
    metrics: whole("metrics", LEAST_METRICS, LEAST_METRICS, 200),
    rules: whole("rules", 0, 0, 100),
    subscribers: one("subscribers") === undefined ? undefined : whole("subscribers", 0, 0, 100),
    commands: fraction("commands", 0, 0, 1_000),
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
    /** Only these; all when empty. */
    faultKinds: (given.fault ?? []).map(faultKind),
    longest: fraction("longest", 60, 1, 3_600),
    backWithin: fraction("back-within", 60, 1, 3_600),
    checkStored: whole("check-stored", 100, 0),
    json: one("json"),
  };
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
    // Node's sentence names the option; its advice about positional arguments misleads here.
    throw new UsageError(`${(error as Error).message.split(". ")[0]!.replace(/\.$/, "")}.`);
  }
}

/** Options of a Muster that the simulator starts, and of one that runs. */
const ONLY_STARTED = [
  ...["kill-node", "kill-nats", "pause-postgresql", "stop-postgresql", "commands"],
  ...["rules", "subscribers", "ingest", "database", "nats", "faults"],
] as OptionName[];
const ONLY_NAMED: OptionName[] = ["mqtt", "ca", "api-key-file", "claim-code", "device-type", "gateways", "keep"];

/** Returns options that exclude or need each other, each with its message. */
function conflicts(options: Options, given: Given): readonly (readonly [applies: boolean, message: string])[] {
  const { start = 0, https, nats, killPids, claimCode, apiKeyFile, keep, revoke, ingest, database, faults } = options;
  const outages = options.pausePostgresql.length + options.stopPostgresql.length > 0;
  const named = start === 0;
  const isGiven = (name: OptionName) => given[name] !== undefined;
  const [started, running] = [ONLY_STARTED.find(isGiven), ONLY_NAMED.find(isGiven)];
  const gone = killPids.find((pid) => !exists(pid));
  const twice = "--revoke and --keep exclude each other: revoked devices cannot connect again.";
  const own =
    "--pause-postgresql and --stop-postgresql need a PostgreSQL that is started: --start 2 or more, no --database.";
  const enroll = "Devices enroll with --claim-code <code> or --api-key-file <file>.";
  const which = "Name the Muster to load: either --start <nodes>, or --https <url> of one that runs.";
  const mayEnroll = apiKeyFile !== undefined || claimCode !== undefined || keep !== undefined;
  return [
    [named === (https.length === 0), which],
    [named && started !== undefined, `--${started} needs --start.`],
    [!named && running !== undefined, `--${running} is for a Muster that runs, not for --start.`],
    [named && !mayEnroll, enroll],
    [named && revoke > 0 && apiKeyFile === undefined, "--revoke needs --api-key-file."],
    [named && revoke > 0 && keep !== undefined, twice],
    [nats > 0 && start === 1, "--nats needs --start 2 or more."],
    [outages && (start === 1 || database !== undefined), own],
    [!named && ingest === "stream" && nats === 0, "--ingest stream needs NATS: --start 2 or more."],
    [faults > 0 && start < 2, "--faults needs --start 2 or more."],
    [faults > 0 && database !== undefined, "--faults excludes --database: PostgreSQL is paused and killed."],
    [gone !== undefined, `--kill-pid ${gone}: no such process.`],
  ];
}

/** @param started how many of them `--${by}` starts */
function checkKills(name: string, killed: readonly number[], by: string, started: number, what: string): void {
  const most = Math.max(...killed, 0);
  const range = started > 1 ? `the ${what} 1 to ${started}` : started === 1 ? "only one" : "none";
  if (most > started) throw new UsageError(`--${name} ${most}: --${by} ${started} starts ${range}.`);
  if (new Set(killed).size !== killed.length) throw new UsageError(`--${name} lists the same one twice.`);
  if (killed.length > 0 && killed.length === started)
    throw new UsageError(`--${name} must leave one of the ${what}: start more of them.`);
}

function exists(pid: number): boolean {
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
  if (text.trim() !== "" && value >= least && value <= most && (!whole || Number.isInteger(value))) return value;
  const valid = `${whole ? "a whole number" : "a number"} from ${least} to ${most} is valid`;
  throw new UsageError(`--${name} ${text}: ${valid}.`);
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

function ingestWay(text: string): "direct" | "stream" {
  if (text !== "direct" && text !== "stream") throw new UsageError(`--ingest ${text}: direct or stream is valid.`);
  return text;
}

function faultKind(text: string): FaultKind {
  if (!Object.hasOwn(FAULTS, text))
    throw new UsageError(`--fault ${text}: valid are ${Object.keys(FAULTS).join(", ")}.`);
  return text as FaultKind;
}

/** Parses `1`, or `0:10,1:80,2:10`. @returns the share of the devices at each QoS; the sum is 1 */
function qosMix(text: string): { qos: Qos; share: number }[] {
  const parts = text.split(",").map((part) => /^([012])(?::(\d+))?$/.exec(part.trim()));
  const weights = parts.map((part) => Number(part?.[2] ?? 1));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (parts.includes(null) || total === 0)
    throw new UsageError(`--qos ${text}: 0, 1 or 2, or shares of them such as 0:10,1:80,2:10 are valid.`);
  return parts.map((part, index) => ({ qos: Number(part![1]) as Qos, share: weights[index]! / total }));
}
