import { z } from "zod";
import { type Subcommand, subcommand, tenantSubcommand, text } from "../subcommand.ts";

/** The maximum number of certificates in one answer. */
const MAX_CERTIFICATES = 1_000;

/** The commands for device certificates and compromised keys. */
export const certificateSubcommands: readonly Subcommand[] = [
  tenantSubcommand(
    "certificate.list",
    {
      deviceId: text.optional(),
      status: z.enum(["active", "revoked"]).optional(),
      skip: z.int().min(0),
      limit: z.int().min(1).max(MAX_CERTIFICATES),
    },
    ({ certificates }, caller, query) => certificates.listCertificates(caller, query),
  ),
  subcommand(
    "certificate.revoke",
    { id: text, chain: z.boolean() },
    async ({ access, certificates, enrollment }, { id, chain }) => {
      const caller = await access.systemCaller(await certificates.tenantOfCertificate(id));
      const { revoked, liveSuccessor } = await enrollment.revokeCertificate(caller, id, { chain });
      return { id, revoked, liveSuccessor: liveSuccessor ?? null };
    },
  ),
  subcommand("key.block", { spkiSha256: text.optional(), certificateId: text.optional() }, ({ enrollment }, input) =>
    enrollment.blockKey(input),
  ),
];
