import type { Command } from "commander";
import { commaSeparated, tenantSubcommand } from "../options.ts";
import { type Exit, send } from "../send.ts";

/** Adds `muster shift …`. */
export function addShiftSubcommands(program: Command, exit: Exit): void {
  const shift = program.command("shift").description("Define when users are on duty");
  tenantSubcommand(shift, "create", "Create a shift that recurs on days of the week")
    .requiredOption("--name <text>", "Name of the shift")
    .requiredOption("--time-zone <z>", "IANA name of the time zone, such as Europe/Berlin")
    .requiredOption("--start <hh:mm>", "Local time at which it starts")
    .requiredOption(
      "--end <hh:mm>",
      "Local time at which it ends: on the next day unless later than the start, after 24 hours if equal",
    )
    .requiredOption("--days <days>", "Days on which it starts, such as mon,tue,wed", commaSeparated)
    .requiredOption("--user <email...>", "User on duty (repeatable)")
    .option("--valid-from <date>", "First day on which it starts, such as 2026-12-01")
    .option("--valid-until <date>", "Last day on which it starts")
    .action(({ json, start, end, days, user, ...rest }) =>
      send(exit, {
        name: "shift.create",
        body: { ...rest, startTime: start, endTime: end, daysOfWeek: days, users: user },
        json,
        show: ({ id, name, startTime, timeZone, daysOfWeek, onDuty }) => [
          `Created shift ${name} (${id}).`,
          `It starts at ${startTime} ${timeZone} on ${daysOfWeek.join(", ")} and is ${onDuty ? "on" : "off"} duty now.`,
        ],
      }),
    );
}
