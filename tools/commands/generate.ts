/**
 * Writes `docs/commands.tsv` from the command line itself: `npm run generate`. With `--check` it fails if the table is
 * outdated.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createProgram } from "../../server/src/cli/program.ts";

type Command = ReturnType<typeof createProgram>;

const PATH = join(dirname(dirname(import.meta.dirname)), "docs/commands.tsv");

const subcommands = createProgram(() => undefined).commands.flatMap((each) =>
  each.commands.length === 0 ? rowsOf(each, "") : each.commands.flatMap((one) => rowsOf(one, `${each.name()} `)),
);
const table = [["subcommand", "option", "meaning"], ...subcommands].map((row) => `${row.join("\t")}\n`).join("");

if (!process.argv.includes("--check")) writeFileSync(PATH, table);
else if (!existsSync(PATH) || readFileSync(PATH, "utf8") !== table) {
  console.error("not current: docs/commands.tsv; run npm run generate");
  process.exitCode = 1;
}

/** Returns a row of a subcommand and one of each of its options; all but a few know `--json`. */
function rowsOf(subcommand: Command, prefix: string): string[][] {
  const name = `${prefix}${subcommand.name()}`;
  const parameters = subcommand.usage().replace("[options]", "").trim();
  return [
    [`${name} ${parameters}`.trim(), "", subcommand.description()],
    ...subcommand.options
      .filter(({ long }) => long !== "--json")
      .map(({ flags, description, mandatory }) => [name, flags, `${description}${mandatory ? " (required)" : ""}`]),
  ];
}
