/**
 * `npm run audit-receivers`: streams the audit of a real service to rsyslog, syslog-ng and an OpenTelemetry collector,
 * over kills of the service and of the receiver and an hour's absence of it. It fails unless every entry arrives, in
 * order. A receiver that is not installed fails, too: `install-syslog-ng` and `build-collector` beside this file.
 * `--only=<part of a name>` selects receivers.
 */
import { parseArgs } from "node:util";
import { collector, rsyslog, syslogNg } from "../../server/test/harness/audit-receivers/programs.ts";
import { proveStream } from "./prove-stream.ts";

const { values } = parseArgs({ options: { only: { type: "string" } } });
const receivers = { rsyslog, "syslog-ng": syslogNg, "OpenTelemetry collector": collector };

for (const [name, program] of Object.entries(receivers)) {
  if (!name.includes(values.only ?? "")) continue;
  try {
    if (!program) throw new Error("it is not installed");
    const { sent, received, seconds } = await proveStream(program);
    console.log(`✔ ${name}: ${sent} entries in order, ${received - sent} of them repeated (${seconds} s)`);
  } catch (error) {
    process.exitCode = 1;
    console.error(`✖ ${name}: ${error instanceof Error ? error.stack : error}`);
  }
}
