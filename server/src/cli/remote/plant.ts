import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import {
  type Applied,
  applyPlant,
  type Change,
  changeLines,
  exportOf,
  type PlantFile,
  parsePlant,
  planOf,
  plantText,
  type Tenant,
  tenantOf,
} from "../../plant/plant.ts";
import { count } from "../output.ts";
import type { Exit } from "../send.ts";
import { target } from "./target.ts";

/** The exit code of `muster diff` if there are changes. */
const DIFFERENT = 3;

/** Adds `muster export | diff | apply`. */
export function addPlant(program: Command, exit: Exit): void {
  program
    .command("export")
    .description("Print types, packs, shifts, groups, devices and MQTT clients as one YAML file, without secrets")
    .option("--json", "Print one JSON object")
    .action(async ({ json }) => {
      const { server, tenant } = chosen();
      const plant = exportOf(await tenant.read());
      console.log(json ? JSON.stringify(plant) : plantText(plant, server).trimEnd());
    });
  fileCommand(program, "diff", `Show what apply would change, and exit with ${DIFFERENT} if there is something`).action(
    async ({ file, json, prune = false }) => {
      const changes = planOf(await read(file), await chosen().tenant.read(), { prune });
      print(json, changes);
      exit(changes.length > 0 ? DIFFERENT : 0);
    },
  );
  fileCommand(program, "apply", "Make the tenant as a file describes it")
    .option("--yes", "Apply without asking")
    .action(async ({ file, json, prune = false, yes = false }) => {
      const plant = await read(file);
      const { tenant } = chosen();
      const changes = planOf(plant, await tenant.read(), { prune });
      if (!json) print(json, changes);
      if (changes.length > 0 && !yes && !(await confirmed(changes.length))) throw new Error("nothing was changed");
      const applied: Applied = { done: [], refused: [], passwords: [] };
      try {
        await applyPlant(plant, tenant, { prune, applied });
      } finally {
        report(applied, json);
      }
      exit(applied.refused.length > 0 ? 1 : 0);
    });
}

function fileCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .requiredOption("-f, --file <file>", "YAML or JSON file (- for standard input)")
    .option("--prune", "Delete records that apply has made and that the file no longer contains; never devices")
    .option("--json", "Print one JSON object");
}

function chosen(): { server: string; tenant: Tenant } {
  const api = target();
  if (!api) throw new Error("this needs --server with --api-key-file, or --profile");
  return { server: api.server, tenant: tenantOf((request) => api.send(request)) };
}

async function read(file: string): Promise<PlantFile> {
  const path = file === "-" ? "/dev/stdin" : file;
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${file} cannot be read: ${error.code}`);
  });
  return parsePlant(text, file);
}

function plain(change: Change) {
  const { act, kind, key } = change;
  if (act !== "update") return { act, kind: kind.name, key };
  const before = Object.fromEntries(Object.keys(change.fields).map((name) => [name, change.before[name]]));
  return { act, kind: kind.name, key, fields: change.fields, before };
}

function print(json: boolean | undefined, changes: readonly Change[]): void {
  if (json) console.log(JSON.stringify({ changes: changes.map(plain) }));
  else console.log(changes.length === 0 ? "No changes." : changes.flatMap(changeLines).join("\n"));
}

async function confirmed(changes: number): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error("there is no terminal to ask on: use --yes");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`Make ${count(changes, "change")}? [y/N] `);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function report({ done, refused, passwords }: Applied, json: boolean | undefined): void {
  if (json) {
    const failures = refused.map(({ change, message }) => ({ ...plain(change), message }));
    console.log(JSON.stringify({ changes: done.map(plain), refused: failures, passwords }));
    return;
  }
  if (done.length > 0) console.log(`Made ${count(done.length, "change")}.`);
  for (const { clientId, password } of passwords) console.log(`Password of MQTT client ${clientId}: ${password}`);
  if (passwords.length > 0) console.log("Copy it now: it is not shown again.");
  for (const { change, message } of refused) console.error(`muster: ${changeLines(change)[0]}: ${message}`);
}
