import type { Command } from "commander";
import { profilesFile, storeProfile } from "../../config/profiles.ts";
import { type Exit, report } from "../send.ts";
import { ApiError, createApi } from "./api-client.ts";
import { connectionOf } from "./target.ts";

/** Adds `muster login`. */
export function addLogin(program: Command, exit: Exit): void {
  program
    .command("login")
    .description("Store a service and an API key, for --profile (with --server and --api-key-file)")
    .option("--json", "Print one JSON object")
    .action(async ({ json }) => {
      const { profile = "default", ...options } = program.opts();
      const connection = await connectionOf(options);
      await verify(connection);
      await storeProfile(profile, connection);
      const result = { profile, server: connection.server, file: profilesFile() };
      const show = () => [`Stored profile ${profile} for ${result.server} in ${result.file}.`];
      report(exit, { ok: true, result }, { json, show });
    });
}

/** Checks that the service accepts the key, whatever its scopes. @throws ApiError if it does not */
async function verify(connection: Parameters<typeof createApi>[0]): Promise<void> {
  try {
    await createApi(connection).send({ method: "GET", path: "/devices", query: { limit: 1 } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.error !== "insufficient_scope") throw error;
  }
}
