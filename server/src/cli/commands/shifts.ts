import type { Command } from "commander";
import { type Exit, leaf, send } from "../send.ts";

/** `muster shift …` */
export function addShiftCommands(program: Command, exit: Exit): void {
  const shift = program.command("shift").description("who is on duty when");
  leaf(shift, "create", "add a shift that recurs on days of the week")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--name <text>", "its name")
    .requiredOption("--time-zone <z>", "the zone of its times, e.g. Europe/Berlin")
    .requiredOption("--start <hh:mm>", "when it begins")
    .requiredOption("--end <hh:mm>", "when it ends; on the next day when not after the start, a whole day when equal")
    .requiredOption("--days <days>", "the days it begins on, e.g. mon,tue,wed", commaSeparated)
    .requiredOption("--user <email...>", "who is on duty (repeatable)")
    .option("--valid-from <date>", "the first day it begins on, e.g. 2026-12-01")
    .option("--valid-until <date>", "the last day it begins on")
    .action(({ json, start, end, days, user, ...rest }) =>
      send(exit, {
        name: "shift.create",
        body: { ...rest, startTime: start, endTime: end, daysOfWeek: days, users: user },
        json,
        show: (made) => [
          `Shift ${made.name} is there (${made.id}).`,
          `It begins at ${made.startTime} ${made.timeZone} on ${made.daysOfWeek.join(", ")} and is ${made.onDuty ? "on" : "off"} duty now.`,
        ],
      }),
    );
}

function commaSeparated(value: string): string[] {
  return value.split(",").map((part) => part.trim());
}
