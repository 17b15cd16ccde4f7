import { access } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { loadNatsServers } from "../../config/nats-servers.ts";
import { natsConfiguration } from "../nats/configuration.ts";
import { createUserKey, publicKeyOf } from "../nats/user-key.ts";
import { subcommand } from "../options.ts";
import { print } from "../output.ts";

/** Where `--new-key` creates the key if neither it nor a setting names a file. */
const USUAL_KEY_FILE = "nats.nk";

interface Options {
  json?: boolean;
  /** `true` without the name of a file. */
  newKey?: string | true;
}

/** `muster nats …`: needs no running service, since it comes before. */
export function addNatsCommands(program: Command): void {
  const nats = program
    .command("nats")
    .description("Prepare the NATS servers that connect services on several machines");
  subcommand(nats, "config", "Print a configuration of the NATS servers, for the settings MUSTER_NATS_… that there are")
    .option(
      "--new-key [file]",
      `Create the nkey with which Muster signs in, in a new file: MUSTER_NATS_CREDENTIALS_FILE or ${USUAL_KEY_FILE} when absent`,
    )
    .action(async ({ json, newKey }: Options) => {
      const { credentialsFile, ...servers } = loadNatsServers();
      const created = newKey === undefined ? undefined : keyFile(newKey, credentialsFile);
      const publicKey = created === undefined ? await knownPublicKey(credentialsFile) : await createUserKey(created);
      const configuration = natsConfiguration({
        ...servers,
        version: manifest.version,
        publicKey,
        credentialsFile: created ?? credentialsFile,
      });
      // On stderr: the configuration is usually written to a file.
      if (created !== undefined) console.error(`Created the key ${created}: every machine with Muster needs it.`);
      else if (publicKey === undefined) console.error("The configuration lacks the key of Muster: see --new-key.");
      print({ configuration, publicKey: publicKey ?? null }, json, () => [configuration.trimEnd()]);
    });
}

function keyFile(asked: string | true, configured: string | undefined): string {
  return asked === true ? (configured ?? resolve(USUAL_KEY_FILE)) : resolve(asked);
}

/** @throws Error where the file that the setting names cannot be read */
async function knownPublicKey(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  await access(file).catch(({ code }: NodeJS.ErrnoException) => {
    const cure = code === "ENOENT" ? "; create it with --new-key" : "";
    throw new Error(`MUSTER_NATS_CREDENTIALS_FILE: ${file} cannot be read (${code})${cure}`);
  });
  return await publicKeyOf(file);
}
