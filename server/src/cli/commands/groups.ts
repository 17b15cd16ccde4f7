import type { Command } from "commander";
import { type Exit, leaf, send } from "../send.ts";

/** `muster group …`, `muster shift …` */
export function addGroupCommands(program: Command, exit: Exit): void {
  const group = program.command("group").description("who is told");
  leaf(group, "webhook-secret", "show what a group's webhook is signed with")
    .requiredOption("--tenant <slug>", "the tenant")
    .requiredOption("--group <id>", "the group")
    .requiredOption("--target <url>", "the webhook's address, as the group has it")
    .option("--enable", "send there again, after it answered 410")
    .action(({ json, ...body }) =>
      send(exit, {
        name: "group.webhook-secret",
        body,
        json,
        show: ({ secret, disabled }) => [
          secret,
          ...(disabled ? ["It answered 410, so nothing is sent there: --enable to try again."] : []),
        ],
      }),
    );

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
