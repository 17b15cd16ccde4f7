import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import { nextOf } from "./master-key.ts";

const GROUP_READS = 0o040;
const GROUP_WRITES = 0o020;
const OTHERS_READ = 0o004;
const OTHERS_WRITE = 0o002;
const OTHERS = OTHERS_READ | OTHERS_WRITE;

/**
 * Checks which other users of this machine can access the service's secrets. A master key that they can read or replace
 * prevents startup; lesser problems cause a warning. A file that does not exist yet will be created with a private
 * mode.
 *
 * @returns the warnings
 * @throws ConfigError naming each file and the command that fixes it
 */
export async function checkFileModes(
  config: Pick<Config, "dataDir" | "masterKey" | "operatorTls" | "nats">,
): Promise<string[]> {
  if (process.platform === "win32") return [];
  const { masterKey, dataDir, operatorTls, nats } = config;
  const keyFile = masterKey.from === "file" ? masterKey.path : join(dataDir, "master.key");
  const warnings: string[] = [];
  if (masterKey.from !== "value")
    for (const path of [keyFile, nextOf(keyFile)]) warnings.push(...(await checkMasterKeyFile(path)));
  if (operatorTls) warnings.push(...(await checkSecretFile("the TLS key", operatorTls.keyFile)));
  for (const path of [nats?.credentialsFile, nats?.keyFile])
    if (path !== undefined) warnings.push(...(await checkSecretFile("a secret for NATS", path)));
  warnings.push(...(await checkDataFolder(dataDir)));
  return warnings;
}

async function checkMasterKeyFile(path: string): Promise<string[]> {
  const mode = await modeOf(path);
  if ((mode & OTHERS) !== 0)
    throw new ConfigError([
      `the master key (${path}) has mode ${octal(mode)}: every user of this machine can use it. Run chmod 600 ${path}, and if another person may have read it, muster master-key rotate`,
    ]);
  if ((mode & (GROUP_READS | GROUP_WRITES)) === 0) return [];
  return [
    `the master key (${path}) has mode ${octal(mode)}: its group can use it. Run chmod 600 ${path} unless that is intended`,
  ];
}

async function checkSecretFile(what: string, path: string): Promise<string[]> {
  const mode = await modeOf(path);
  if ((mode & OTHERS) === 0) return [];
  return [`${what} (${path}) has mode ${octal(mode)}: every user of this machine can use it. Run chmod o= ${path}`];
}

async function checkDataFolder(path: string): Promise<string[]> {
  const mode = await modeOf(path);
  if ((mode & (GROUP_WRITES | OTHERS_WRITE)) !== 0)
    return [
      `the data folder (${path}) has mode ${octal(mode)}: other users can replace its control socket and its keys. Run chmod 700 ${path}`,
    ];
  if ((mode & 0o077) === 0) return [];
  return [`the data folder (${path}) has mode ${octal(mode)}: other users can list it. Run chmod 700 ${path}`];
}

/** Returns the mode; 0 for a file that does not exist, or whose mode cannot be read: reading the file reports why. */
async function modeOf(path: string): Promise<number> {
  return await stat(path).then(
    ({ mode }) => mode & 0o777,
    () => 0,
  );
}

function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
