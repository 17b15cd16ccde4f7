import type { Command } from "commander";
import type { Exit } from "../program.ts";
import { type Answer, leaf, print, send } from "../send.ts";

/** `muster serve | migrate | demo | doctor` */
export function addServiceCommands(program: Command, exit: Exit): void {
  program
    .command("serve")
    .description("run the service until SIGTERM or Ctrl-C")
    .action(async () => {
      const { serve } = await import("../../main.ts");
      exit(await serve());
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
