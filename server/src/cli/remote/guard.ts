import type { Command } from "commander";
import { remoteSubcommands } from "./subcommands.ts";
import { addTargetOptions, choose, target } from "./target.ts";

/** Subcommands that are written for the API, or that need no service. */
const OWN = new Set(["login", "mcp", "export", "diff", "apply", "help"]);

/** Makes a command line that also runs away from the service's machine, through its API. */
export function allowRemote(program: Command): void {
  addTargetOptions(program);
  let asked = false;
  program.hook("preSubcommand", async (_, subcommand) => {
    const options = program.opts();
    asked = options.server !== undefined || options.profile !== undefined;
    // The key determines the tenant.
    if (asked) makeTenantOptional(subcommand);
  });
  program.hook("preAction", async (_, action) => {
    const name = nameOf(action);
    if (name === "login") return;
    await choose(program.opts());
    if (target() && !OWN.has(name) && !(name in remoteSubcommands))
      throw new Error(
        `muster ${name.replaceAll(".", " ")} needs the service's machine: run it there, without --server`,
      );
  });
}

function makeTenantOptional(command: Command): void {
  for (const option of command.options) if (option.long === "--tenant") option.mandatory = false;
  for (const each of command.commands) makeTenantOptional(each);
}

/** Returns the name of a subcommand on the control socket: `device.list`. */
function nameOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command = command; at.parent; at = at.parent) names.unshift(at.name());
  return names.join(".");
}
