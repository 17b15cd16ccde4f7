import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { loadNatsServers } from "../../config/nats-servers.ts";
import { VERSION } from "../../lib/installed/version.ts";
import { natsConfiguration } from "../nats/configuration.ts";
import { createUserKey, publicKeyOf } from "../nats/user-key.ts";
import { subcommand } from "../options.ts";
import { print } from "../output.ts";

/** The file in which `--new-key` creates the key if neither it nor a setting names one. */
const USUAL_KEY_FILE = "nats.nk";

interface Options {
  json?: boolean;
  /** `true` without a file name. */
  newKey?: string | true;
}

/** Adds `muster nats …`, which needs no running service because it is used before the first start. */
export function addNatsSubcommands(program: Command): void {
  const nats = program
    .command("nats")
    .description("Prepare the NATS servers that connect services on several machines");
  subcommand(nats, "config", "Print a configuration of the NATS servers for the current MUSTER_NATS_… settings")
    .option(
      "--new-key [file]",
      `Create the nkey with which Muster signs in, in a new file (default: MUSTER_NATS_CREDENTIALS_FILE or ${USUAL_KEY_FILE})`,
    )
    .action(async ({ json, newKey }: Options) => {
      const { credentialsFile, ...servers } = loadNatsServers();
      const created = newKey === undefined ? undefined : keyFile(newKey, credentialsFile);
      const publicKey = created === undefined ? await knownPublicKey(credentialsFile) : await createUserKey(created);
      const configuration = natsConfiguration({
        ...servers,
        version: VERSION,
        publicKey,
        credentialsFile: created ?? credentialsFile,
      });
      // Printed on stderr, since the configuration is usually redirected to a file.
      if (created !== undefined) console.error(`Created the key ${created}: every machine that runs Muster needs it.`);
      else if (publicKey === undefined) console.error("The configuration lacks Muster's key: see --new-key.");
      print({ configuration, publicKey: publicKey ?? null }, json, () => [configuration.trimEnd()]);
    });
}

function keyFile(asked: string | true, configured: string | undefined): string {
  return asked === true ? (configured ?? resolve(USUAL_KEY_FILE)) : resolve(asked);
}

/** Returns the public key of the configured file. @throws Error if that file cannot be read */
async function knownPublicKey(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  await access(file).catch(({ code }: NodeJS.ErrnoException) => {
    const cure = code === "ENOENT" ? "; create it with --new-key" : "";
    throw new Error(`MUSTER_NATS_CREDENTIALS_FILE: ${file} cannot be read (${code})${cure}`);
  });
  return await publicKeyOf(file);
}
