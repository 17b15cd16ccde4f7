import { Command, Help, type Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { addAccessCommands } from "./commands/access.ts";
import { addAuthorityCommands } from "./commands/authorities.ts";
import { addDeviceCommands } from "./commands/devices.ts";
import { addNotificationCommands } from "./commands/notifications.ts";
import { addServiceCommands } from "./commands/service.ts";
import { addShiftCommands } from "./commands/shifts.ts";
import { addThresholdCommands } from "./commands/thresholds.ts";
import type { Exit } from "./send.ts";

/** The whole command line (docs: `muster --help`). Wrong usage throws a CommanderError. */
export function createProgram(exit: Exit): Command {
  const program = new Command("muster")
    .description("Enroll, connect and watch IoT devices by client certificate.")
    .version(manifest.version)
    .exitOverride()
    .configureHelp({ optionDescription })
    .showHelpAfterError("(--help shows what there is)")
    .addHelpText(
      "after",
      "\nCommands speak to the running service of the data folder (MUSTER_DATA_DIR, ./data when unset)." +
        "\n--json on any command prints one JSON object.",
    );
  addServiceCommands(program, exit);
  addAccessCommands(program, exit);
  const device = addDeviceCommands(program, exit);
  addShiftCommands(program, exit);
  const group = program.command("group").description("who is told, and who is on call");
  addNotificationCommands({ group, device, program }, exit);
  addThresholdCommands(program, exit);
  addAuthorityCommands(program, exit);
  return program;
}

/** What `--help` says of an option. */
function optionDescription(option: Option): string {
  const said = new Help().optionDescription(option);
  return option.mandatory ? `${said} (required)` : said;
}
