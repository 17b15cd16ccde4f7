import { resolve } from "node:path";
import type { Command } from "commander";
import manifest from "../../../package.json" with { type: "json" };
import { loadConfig } from "../../config/config.ts";
import { natsPayloadBytes } from "../../config/nats.ts";
import { natsConfiguration } from "../nats/configuration.ts";
import { createUserKey, publicKeyOf } from "../nats/user-key.ts";
import { subcommand } from "../options.ts";
import { print } from "../output.ts";

/** `muster nats …`: needs no running service, since it comes before. */
export function addNatsCommands(program: Command): void {
  const nats = program
    .command("nats")
    .description("Prepare the NATS servers that connect services on several machines");
  subcommand(nats, "config", "Print a configuration of the NATS servers, for the settings MUSTER_NATS_…")
    .option("--new-key <file>", "Create the nkey with which Muster signs in, in a new file")
    .action(async ({ json, newKey }: { json?: boolean; newKey?: string }) => {
      const { nats: settings, stream, limits } = loadConfig();
      const file = settings?.credentialsFile;
      const known = file === undefined ? undefined : await publicKeyOf(file);
      const publicKey = newKey === undefined ? known : await createUserKey(resolve(newKey));
      const configuration = natsConfiguration({
        version: manifest.version,
        hosts: (settings?.servers ?? []).map((server) => server.replace(/:\d+$/, "")),
        payloadBytes: natsPayloadBytes(limits),
        publicKey,
        verifyClients: settings === undefined || settings.certFile !== undefined,
        streamBytes: stream?.wanted === "stream" ? stream.maxBytes : undefined,
      });
      print({ configuration, publicKey: publicKey ?? null }, json, () => [configuration.trimEnd()]);
    });
}
