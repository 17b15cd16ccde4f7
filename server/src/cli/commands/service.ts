import { resolve } from "node:path";
import type { Command } from "commander";
import { foreignEnvironment } from "../../config/config.ts";
import { type Answer, type Exit, leaf, portNumber, print, send } from "../send.ts";

/** `muster serve | migrate | demo | inbox | doctor | backup | restore` */
export function addServiceCommands(program: Command, exit: Exit): void {
  program
    .command("serve")
    .description("run the service until SIGTERM or Ctrl-C")
    .action(async () => {
      const { serve } = await import("../../main.ts");
      exit(await serve());
    });
  program
    .command("demo")
    .description("show the whole platform with simulated devices, in a folder of its own; Ctrl-C ends it")
    .option("--check", "unattended: verify each step, then take everything down; exits 0 only if all held")
    .action(async ({ check }) => {
      const { demo } = await import("../../demo/demo.ts");
      exit(await demo({ check: check ?? false, env: foreignEnvironment(), print: (line) => console.log(line) }));
    });
  program
    .command("inbox")
    .description(
      "a mail server and a webhook's other side on this machine, which keep what they are sent; Ctrl-C ends it",
    )
    .option("--mail-port <n>", "where it takes mails (SMTP); 0 for a free one", portNumber, 2525)
    .option("--webhook-port <n>", "where it takes webhooks (HTTPS); 0 for a free one", portNumber, 8444)
    .option("--folder <path>", "where it keeps them, with the certificate that the service must trust", "inbox")
    .action(async (options) => {
      const { keepMessages } = await import("../../demo/keep-messages.ts");
      await keepMessages({ ...options, print: (line) => console.log(line) });
      exit(0);
    });
  leaf(program, "migrate", "bring the database's schema up to date (the service does it too when it starts)").action(
    async ({ json }) => {
      const { migrateDatabase } = await import("../../main.ts");
      print(await migrateDatabase(), json, ({ schema }) => [`The database is at schema ${schema}.`]);
    },
  );
  leaf(program, "doctor", "say whether what must never be false is true; exits 1 when it is not")
    .option("--deep", "ask the whole database every question")
    .action(({ json, deep }) =>
      send(exit, {
        name: "doctor",
        body: { deep: deep ?? false },
        json,
        show: diagnosis,
        judge: ({ healthy }) => (healthy ? 0 : 1),
      }),
    );
  addBackup(program, exit);
}

function addBackup(program: Command, exit: Exit): void {
  leaf(program, "backup <file>", "copy the embedded database to a new file; keep the master key apart from it").action(
    (file: string, { json }) =>
      send(exit, {
        name: "backup",
        body: { file: resolve(file) },
        json,
        show: (made) => [
          `The database is in ${made.file} (${made.bytes} bytes).`,
          "The master key is not: without a copy of it (master.key in the data folder) the backup cannot be used.",
        ],
      }),
  );
  leaf(
    program,
    "restore <file>",
    "make a backup the database of a data folder that has none, the service being stopped",
  )
    .option(
      "--revoke-all",
      "end every certificate, API key, claim and MQTT client of it: some may have been revoked since",
    )
    .option("--nothing-revoked-since", "keep them: you know that nothing was revoked after the backup was made")
    .action(async (file: string, { json, revokeAll, nothingRevokedSince }, command: Command) => {
      if (!revokeAll === !nothingRevokedSince)
        command.error(
          "error: say either --revoke-all or --nothing-revoked-since (a restore must not revive what was revoked)",
        );
      const { restoreDatabase } = await import("../../main.ts");
      const restored = await restoreDatabase(resolve(file), revokeAll ? "revoke-all" : "nothing-revoked-since");
      print(restored, json, ({ dataDir, revokedCertificates }) => [
        `The database is in ${dataDir}; ${revokedCertificates} certificates were revoked.`,
        "Put the master key of the service that was backed up beside it before you start.",
      ]);
    });
}

function diagnosis({ checks }: Answer): string[] {
  return checks.map(({ name, level, ok, broken, examples }: Answer) => {
    if (ok) return `ok      ${name}`;
    return `${level === "must" ? "BROKEN" : "LOOK  "}  ${name}: ${broken}, among them ${examples.join("; ")}`;
  });
}
