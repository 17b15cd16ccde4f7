import { z } from "zod";
import { MusterError } from "../../lib/errors.ts";
import { type Command, command, text } from "../subcommand.ts";

/** The commands for the certificate authorities, checks, restarts, revocation of all access, and backups. */
export const operationsCommands: readonly Command[] = [
  command("ca.status", {}, async ({ authorities, platform }) => ({
    authorities: await authorities.status(),
    rollout: (await platform.measureRollout()) ?? null,
  })),
  command("ca.export", {}, async ({ authorities }) => ({ authorities: await authorities.exportCertificates() })),
  command("ca.rotate-intermediate", {}, async ({ authorities }) => ({
    authorities: await authorities.rotateIntermediate(),
  })),
  command("ca.rotate-root", { immediately: z.boolean().optional() }, async ({ authorities }, { immediately }) => ({
    authorities: await authorities.rotateRoot(immediately ? { immediately } : undefined),
  })),
  command("ca.rotate-server", {}, async ({ authorities }) => ({ authorities: await authorities.rotateServer() })),
  command("master-key.rotate", {}, ({ authorities }) => authorities.rotateMasterKey()),
  command("doctor", { deep: z.boolean() }, ({ doctor }, input) => doctor.examine(input)),
  command("process", {}, async () => ({ pid: process.pid })),
  command("restart", {}, async ({ workers }) => {
    if (!workers.restart)
      throw new MusterError(
        "one_process",
        "This service has one process: stop and start it. With muster serve --workers 2 or more, a rolling restart is possible",
      );
    return await workers.restart();
  }),
  command("revoke-all", { certificates: z.enum(["revoke", "keep"]).optional() }, ({ backup }, choice) =>
    backup.revokeAll(choice),
  ),
  command("backup", { file: text }, ({ backup }, { file }) => backup.writeTo(file)),
];
