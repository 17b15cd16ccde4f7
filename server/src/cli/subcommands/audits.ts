import type { Command } from "commander";
import { subcommand, tenantSubcommand, wholeNumber } from "../options.ts";
import { escaped, type Result, table } from "../output.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster api-audit` and `muster admin-audit`. */
export function addAuditSubcommands(program: Command, exit: Exit): void {
  tenantSubcommand(program, "api-audit", "List the writes made with a tenant's API keys, newest first")
    .option("--limit <n>", "Number of entries, 1 to 10000", wholeNumber, 50)
    .action(({ json, ...body }) => send(exit, { name: "api-audit", body, json, show: writeLines }));
  subcommand(program, "admin-audit", "List administrative acts with the state before and after, newest first")
    .option("--tenant <slug>", "Slug of the tenant; if absent, acts on the whole installation")
    .option("--limit <n>", "Number of entries, 1 to 10000", wholeNumber, 50)
    .option("--skip <n>", "Number of newer entries to skip", wholeNumber, 0)
    .action(({ json, ...body }) => send(exit, { name: "admin-audit", body, json, show: actLines }));
}

function writeLines({ items }: Result): string[] {
  return table(
    ["AT", "KEY", "OPERATION", "RECORD", "RESULT", "ADDRESS", "REQUEST"],
    items.map((write: Result) => [
      write.at,
      `apikey:${write.keyId}`,
      write.operation,
      `${write.resource} ${write.resourceId}`,
      write.result,
      write.address ?? "",
      write.requestId,
    ]),
    "No writes with API keys.",
  );
}

function actLines({ items }: Result): string[] {
  return table(
    ["AT", "ACTOR", "ACT", "TARGET", "BEFORE -> AFTER"],
    items.map(({ at, actor, act, target, before, after }: Result) => [
      at,
      actor,
      act,
      target,
      escaped([before, after].map((state) => (state ? JSON.stringify(state) : "-")).join(" -> ")),
    ]),
    "No administrative acts.",
  );
}
