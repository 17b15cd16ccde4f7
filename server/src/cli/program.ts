import { Command, Help, type Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import type { Exit } from "./send.ts";
import { addAccessCommands } from "./subcommands/access.ts";
import { addAuditCommands } from "./subcommands/audits.ts";
import { addAuthorityCommands } from "./subcommands/authorities.ts";
import { addBackupCommands } from "./subcommands/backups.ts";
import { addCertificateCommands } from "./subcommands/certificates.ts";
import { addConnectionCommands } from "./subcommands/connections.ts";
import { addDeviceCommands } from "./subcommands/devices.ts";
import { addNatsCommands } from "./subcommands/nats.ts";
import { addNodeCommands } from "./subcommands/nodes.ts";
import { addNotificationCommands } from "./subcommands/notifications.ts";
import { addRevocationCommands } from "./subcommands/revocations.ts";
import { addServiceCommands } from "./subcommands/service.ts";
import { addShiftCommands } from "./subcommands/shifts.ts";
import { addThresholdCommands } from "./subcommands/thresholds.ts";

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
