import { type Command, Option } from "commander";
import { foreignEnvironment, loadConfig } from "../../config/config.ts";
import { portNumber, subcommand } from "../options.ts";
import { count, print, type Result } from "../output.ts";
import { rollingRestart } from "../rolling-restart.ts";
import { type Exit, report, send } from "../send.ts";

/**
 * Adds `muster serve | restart | migrate | demo | inbox | doctor`. Each implementation is imported only when it runs.
 */
export function addServiceSubcommands(program: Command, exit: Exit): void {
  program
    .command("serve")
    .description("Run the service until SIGTERM or Ctrl-C")
    .addOption(
      new Option(
        "--embedded-sync <on|off>",
        "Whether a commit of the embedded database waits for the disk (default: on); overrides MUSTER_EMBEDDED_SYNC",
      ).choices(["on", "off"]),
    )
    .addOption(
      new Option(
        "--workers <n|auto>",
        "Number of processes that serve MQTT and HTTPS, on Linux with PostgreSQL (default: 1; auto: one per core); overrides MUSTER_WORKERS",
      ),
    )
    .action(async ({ embeddedSync, workers }: { embeddedSync?: string; workers?: string }) => {
      const { serve } = await import("../../main.ts");
      exit(
        await serve({
          ...(embeddedSync === undefined ? {} : { MUSTER_EMBEDDED_SYNC: embeddedSync }),
          ...(workers === undefined ? {} : { MUSTER_WORKERS: workers }),
        }),
      );
    });
  subcommand(program, "restart", "Restart the service without interruption")
    .requiredOption("--rolling", "Replace the workers one at a time, each once its successor serves")
    .action(async ({ json }) =>
      report(exit, await rollingRestart(loadConfig().dataDir), {
        json,
        show: ({ restarted }) => [`Restarted ${count(restarted, "process", "processes")}.`],
      }),
    );
  addDemo(program, exit);
  addInbox(program, exit);
  addMigrate(program);
  subcommand(program, "doctor", "Check the invariants and list what needs attention; exit 1 if an invariant is broken")
    .option("--deep", "Check the whole database")
    .action(({ json, deep }) =>
      send(exit, {
        name: "doctor",
        body: { deep: deep ?? false },
        json,
        show: checkLines,
        exitCode: ({ healthy }) => (healthy ? 0 : 1),
      }),
    );
}

function addMigrate(program: Command): void {
  subcommand(program, "migrate", "Apply database migrations without starting the service, which also applies them")
    .option(
      "--service-role <name>",
      "Grant this PostgreSQL role the privileges that the service needs, as the owner of the tables",
    )
    .action(async ({ json, serviceRole }: { json?: boolean; serviceRole?: string }) => {
      const { migrateDatabase } = await import("../../main.ts");
      print(await migrateDatabase(serviceRole), json ?? false, ({ schema }) => [
        `The database has schema ${schema}.`,
        ...(serviceRole === undefined ? [] : [`The role ${serviceRole} can run the service and owns nothing.`]),
      ]);
    });
}

function addDemo(program: Command, exit: Exit): void {
  program
    .command("demo")
    .description("Show the platform with simulated devices in a temporary folder, until Ctrl-C")
    .option("--check", "Verify each step and stop; exit 0 only if every step succeeded")
    .action(async ({ check }) => {
      const { runDemo } = await import("../../demo/demo.ts");
      exit(await runDemo({ check: check ?? false, env: foreignEnvironment(), print: (line) => console.log(line) }));
    });
}

function addInbox(program: Command, exit: Exit): void {
  program
    .command("inbox")
    .description("Run a mail server and a webhook receiver that store what they receive, until Ctrl-C")
    .option("--mail-port <n>", "Port of the mail server (SMTP); 0 picks a free one", portNumber, 2525)
    .option("--webhook-port <n>", "Port of the webhook receiver (HTTPS); 0 picks a free one", portNumber, 8444)
    .option("--folder <path>", "Folder of the messages and of the certificate that the service must trust", "inbox")
    .action(async (options) => {
      const { storeMessages } = await import("../../demo/store-messages.ts");
      await storeMessages({ ...options, print: (line) => console.log(line) });
      exit(0);
    });
}

function checkLines({ checks }: Result): string[] {
  return checks.map(({ name, level, ok, broken, examples }: Result) => {
    if (ok) return `ok      ${name}`;
    const label = level === "must" ? "BROKEN" : "WARN  ";
    return `${label}  ${name}: ${count(broken, "violation")}, for example ${examples.join("; ")}`;
  });
}
