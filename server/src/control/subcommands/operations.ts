import { z } from "zod";
import { MusterError } from "../../lib/errors.ts";
import { type Subcommand, subcommand, text } from "../subcommand.ts";

/** The commands for the certificate authorities, checks, restarts, revocation of all access, and backups. */
export const operationsSubcommands: readonly Subcommand[] = [
  subcommand("ca.status", {}, async ({ authorities, platform }) => ({
    authorities: await authorities.status(),
    rollout: (await platform.measureRollout()) ?? null,
  })),
  subcommand("ca.export", {}, async ({ authorities }) => ({ authorities: await authorities.exportCertificates() })),
  subcommand("ca.rotate-intermediate", {}, async ({ authorities }) => ({
    authorities: await authorities.rotateIntermediate(),
  })),
  subcommand("ca.rotate-root", { immediately: z.boolean().optional() }, async ({ authorities }, { immediately }) => ({
    authorities: await authorities.rotateRoot(immediately ? { immediately } : undefined),
  })),
  subcommand("ca.rotate-server", {}, async ({ authorities }) => ({ authorities: await authorities.rotateServer() })),
  subcommand("master-key.rotate", {}, ({ authorities }) => authorities.rotateMasterKey()),
  subcommand("doctor", { deep: z.boolean() }, ({ doctor }, input) => doctor.examine(input)),
  subcommand("process", {}, async () => ({ pid: process.pid })),
  subcommand("restart", {}, async ({ workers }) => {
    if (!workers.restart)
      throw new MusterError(
        "one_process",
        "This service has one process: stop and start it. With muster serve --workers 2 or more, a rolling restart is possible",
      );
    return await workers.restart();
  }),
  subcommand("revoke-all", { certificates: z.enum(["revoke", "keep"]).optional() }, ({ backup }, choice) =>
    backup.revokeAll(choice),
  ),
  subcommand("backup", { file: text }, ({ backup }, { file }) => backup.writeTo(file)),
];
