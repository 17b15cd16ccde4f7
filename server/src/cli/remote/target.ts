import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { loadProfile } from "../../config/profiles.ts";
import { type Api, createApi, serverAddress } from "./api-client.ts";

/** The options that choose the service. */
export interface TargetOptions {
  server?: string;
  apiKeyFile?: string;
  caFile?: string;
  profile?: string;
}

let chosen: Api | undefined;

/** Returns the API that the command line talks to; `undefined` for the control socket of this machine. */
export function target(): Api | undefined {
  return chosen;
}

/** Adds `--server`, `--api-key-file`, `--ca-file` and `--profile`, which every subcommand takes. */
export function addTargetOptions(program: Command): void {
  program
    .option("--server <url>", "Use the API of this service instead of the data folder's (with --api-key-file)")
    .option("--api-key-file <file>", "File with the API key")
    .option("--ca-file <file>", "PEM file of certificates to trust besides the usual ones")
    .option("--profile <name>", "Use the service and key stored by muster login under this name");
}

/** Chooses the service by the options; a process has one. @throws Error if they contradict each other */
export async function choose(options: TargetOptions): Promise<void> {
  chosen = undefined;
  if (options.profile !== undefined) {
    if (options.server !== undefined) throw new Error("use --profile or --server, not both");
    chosen = createApi(await loadProfile(options.profile));
  } else if (options.server !== undefined) chosen = createApi(await connectionOf(options));
}

/** Returns the connection that `--server`, `--api-key-file` and `--ca-file` describe. */
export async function connectionOf({ server, apiKeyFile, caFile }: TargetOptions) {
  if (server === undefined) throw new Error("--server is missing");
  if (apiKeyFile === undefined) throw new Error("--server needs --api-key-file: keys are never arguments");
  const ca = caFile === undefined ? {} : { ca: await contentOf(caFile) };
  return { server: serverAddress(server), apiKey: (await contentOf(apiKeyFile)).trim(), ...ca };
}

async function contentOf(file: string): Promise<string> {
  return await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code}`);
  });
}
