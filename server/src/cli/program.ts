import { Command, Help, type Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { addAccessCommands } from "./commands/access.ts";
import { addAuditCommands } from "./commands/audits.ts";
import { addAuthorityCommands } from "./commands/authorities.ts";
import { addBackupCommands } from "./commands/backups.ts";
import { addCertificateCommands } from "./commands/certificates.ts";
import { addConnectionCommands } from "./commands/connections.ts";
import { addDeviceCommands } from "./commands/devices.ts";
import { addNatsCommands } from "./commands/nats.ts";
import { addNodeCommands } from "./commands/nodes.ts";
import { addNotificationCommands } from "./commands/notifications.ts";
import { addRevocationCommands } from "./commands/revocations.ts";
import { addServiceCommands } from "./commands/service.ts";
import { addShiftCommands } from "./commands/shifts.ts";
import { addThresholdCommands } from "./commands/thresholds.ts";
import type { Exit } from "./send.ts";

/** Builds the whole command line (`muster --help`). Wrong usage throws a CommanderError. */
export function createProgram(exit: Exit): Command {
  const program = new Command("muster")
    .description("Enroll and connect IoT devices with client certificates, and watch what they publish")
    .version(manifest.version, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show this help")
    .helpCommand("help [command]", "Show the help of a command")
    .exitOverride()
    .configureHelp({ optionDescription })
    .showHelpAfterError("Run it with --help to see its commands and options.")
    .addHelpText(
      "after",
      "\nMost commands talk to the running service of the data folder (MUSTER_DATA_DIR, ./data by default)." +
        "\nWith --json they print one JSON object.",
    );
  addServiceCommands(program, exit);
  addBackupCommands(program, exit);
  addRevocationCommands(program, exit);
  addAccessCommands(program, exit);
  addAuditCommands(program, exit);
  const device = addDeviceCommands(program, exit);
  addConnectionCommands(program, exit);
  addCertificateCommands(program, exit);
  addShiftCommands(program, exit);
  const group = program.command("group").description("Show who is on call in a group, and its webhook secrets");
  addNotificationCommands({ group, device, program }, exit);
  addThresholdCommands(program, exit);
  addAuthorityCommands(program, exit);
  addNatsCommands(program);
  addNodeCommands(program, exit);
  return program;
}

/** Returns the description of an option in `--help`. */
function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}
