import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import type { MqttVersion } from "../connection/reasons.ts";
import { enroll } from "../enroll.ts";
import { AgentError } from "../errors.ts";
import { renew } from "../renewal/renew.ts";
import type { Identity } from "../state/identity.ts";
import { AGENT_VERSION } from "../version.ts";
import { printResult } from "./output.ts";
import { run } from "./run.ts";
import { status } from "./status.ts";

interface EnrollFlags {
  server: string;
  claim: string;
  fingerprint: string;
  model: string;
  stateDir: string;
  ca?: string;
  agentVersion?: string;
  mac?: string;
  json?: boolean;
}

/** Builds the command line of `muster-agent`. A command that fails throws an error. */
export function program(): Command {
  const root = new Command("muster-agent")
    .description("Enroll a device with a claim code, connect it over mutual TLS, publish, and renew its certificate.")
    .version(AGENT_VERSION)
    .exitOverride()
    .showHelpAfterError("Run it with --help to see its commands and options.");
  command(root, "enroll", "Redeem a claim code for a certificate")
    .requiredOption("--server <base url>", "the service's address, https://…")
    .requiredOption("--claim <code>", "the claim code, CLAIM-XXXX-XXXX-XXXX")
    .requiredOption("--fingerprint <text>", "identifier of this hardware, such as its serial number or MAC address")
    .requiredOption("--model <text>", "hardware model")
    .option("--ca <file>", "also trust this CA for the HTTPS server (development certificate)")
    .option("--agent-version <text>", "firmware version to report", AGENT_VERSION)
    .option("--mac <address>", "MAC address to report, if it is not the fingerprint")
    .action(enrollSubcommand);
  command(root, "run", "Connect, publish each line of standard input, and renew the certificate in time")
    .option("--topic <topic>", "one of the certificate's topics (default: the first)")
    .option("--drain-timeout <seconds>", "how long to keep sending after the end of the input", seconds, 60)
    .option("--commands", "print each message for the device, one JSON object per line")
    .addOption(mqttOption())
    .action(run);
  command(root, "renew", "Renew the certificate now").addOption(mqttOption()).action(renewSubcommand);
  command(root, "status", "Show the device, its certificate and pending requests").action(status);
  return root;
}

/** Adds a subcommand with the options common to all. */
function command(root: Command, name: string, description: string): Command {
  return root
    .command(name)
    .description(description)
    .requiredOption("--state-dir <dir>", "folder with the device's key and certificates")
    .option("--json", "print one JSON object")
    .exitOverride();
}

const mqttOption = () =>
  new Option("--mqtt <version>", "MQTT version (default: 5, or 3.1.1 if the broker speaks only that)").choices([
    "5",
    "3.1.1",
  ]);

async function renewSubcommand(flags: { stateDir: string; json?: boolean; mqtt?: MqttVersion }): Promise<void> {
  report(flags.json ?? false, "Renewed", await renew({ stateDir: flags.stateDir, mqttVersion: flags.mqtt }));
}

async function enrollSubcommand(flags: EnrollFlags): Promise<void> {
  const identity = await enroll({
    server: flags.server,
    claimCode: flags.claim,
    hardwareFingerprint: flags.fingerprint,
    hardwareModel: flags.model,
    stateDir: flags.stateDir,
    ...(flags.ca === undefined ? {} : { caPem: await readCa(flags.ca) }),
    ...(flags.agentVersion === undefined ? {} : { agentVersion: flags.agentVersion }),
    ...(flags.mac === undefined ? {} : { reportedMacAddress: flags.mac }),
  });
  report(flags.json ?? false, "Enrolled", identity);
}

async function readCa(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new AgentError("bad_argument", `The CA file cannot be read: ${(cause as Error).message}`, { cause });
  }
}

function report(json: boolean, what: string, { device, certificate, stateDir }: Identity): void {
  const { deviceId, brokerUrl, publishTopics, certExpiresAt, renewAfterUtc } = device;
  const serialNumber = certificate.serialNumber.toLowerCase();
  printResult(json, { deviceId, brokerUrl, publishTopics, certExpiresAt, renewAfterUtc, serialNumber, stateDir }, [
    `${what} as ${deviceId}, certificate ${serialNumber}`,
    `valid until ${certExpiresAt}, renewal from ${renewAfterUtc}`,
    `broker ${brokerUrl}`,
    `publishes on ${publishTopics.join(", ") || "no topic (set the device type, then renew)"}`,
  ]);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError("not a number of seconds.");
  return value;
}
