import type { Command } from "commander";
import { foreignEnvironment } from "../../config/config.ts";
import { type Answer, type Exit, leaf, print, send } from "../send.ts";

/** `muster serve | migrate | demo | doctor` */
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
}

function diagnosis({ checks }: Answer): string[] {
  return checks.map(({ name, ok, broken, examples }: Answer) =>
    ok ? `ok      ${name}` : `BROKEN  ${name}: ${broken}, among them ${examples.join("; ")}`,
  );
}
