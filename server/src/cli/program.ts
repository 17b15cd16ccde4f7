import { Command, Help, type Option } from "commander";
import { VERSION } from "../lib/installed/version.ts";
import { allowRemote } from "./remote/guard.ts";
import { addLogin } from "./remote/login.ts";
import { addMcp } from "./remote/mcp.ts";
import { addPlant } from "./remote/plant.ts";
import type { Exit } from "./send.ts";
import { addAccessSubcommands } from "./subcommands/access.ts";
import { addAuditSubcommands } from "./subcommands/audits.ts";
import { addAuthoritySubcommands } from "./subcommands/authorities.ts";
import { addBackupSubcommands } from "./subcommands/backups.ts";
import { addCertificateSubcommands } from "./subcommands/certificates.ts";
import { addConnectionSubcommands } from "./subcommands/connections.ts";
import { addDeviceSubcommands } from "./subcommands/devices.ts";
import { addNatsSubcommands } from "./subcommands/nats.ts";
import { addNodeSubcommands } from "./subcommands/nodes.ts";
import { addNotificationSubcommands } from "./subcommands/notifications.ts";
import { addRevocationSubcommands } from "./subcommands/revocations.ts";
import { addServiceSubcommands } from "./subcommands/service.ts";
import { addServiceAccountSubcommands } from "./subcommands/service-accounts.ts";
import { addShiftSubcommands } from "./subcommands/shifts.ts";
import { addThresholdSubcommands } from "./subcommands/thresholds.ts";

/** Builds the whole command line (`muster --help`). Wrong usage throws a CommanderError. */
export function createProgram(exit: Exit): Command {
  const program = new Command("muster")
    .description("Enroll and connect IoT devices with client certificates, and watch what they publish")
    .version(VERSION, "-V, --version", "Print the version")
    .helpOption("-h, --help", "Show this help")
    .helpCommand("help [command]", "Show the help of a command")
    .exitOverride()
    .configureHelp({ optionDescription })
    .showHelpAfterError("Run it with --help to see its commands and options.")
    .addHelpText(
      "after",
      "\nMost commands talk to the running service of the data folder (MUSTER_DATA_DIR, ./data by default)." +
        "\nWith --server or --profile they use the API of a service anywhere, as far as it can do them." +
        "\nWith --json they print one JSON object.",
    );
  allowRemote(program);
  addLogin(program, exit);
  addMcp(program, VERSION);
  addPlant(program, exit);
  addServiceSubcommands(program, exit);
  addBackupSubcommands(program, exit);
  addRevocationSubcommands(program, exit);
  addAccessSubcommands(program, exit);
  addServiceAccountSubcommands(program, exit);
  addAuditSubcommands(program, exit);
  const device = addDeviceSubcommands(program, exit);
  addConnectionSubcommands(program, exit);
  addCertificateSubcommands(program, exit);
  addShiftSubcommands(program, exit);
  const group = program.command("group").description("Show who is on call in a group, and its webhook secrets");
  addNotificationSubcommands({ group, device, program }, exit);
  addThresholdSubcommands(program, exit);
  addAuthoritySubcommands(program, exit);
  addNatsSubcommands(program);
  addNodeSubcommands(program, exit);
  return program;
}

/** Returns the description of an option in `--help`. */
function optionDescription(option: Option): string {
  const description = new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}
