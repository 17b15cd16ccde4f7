import { boundedToGroupsOf, useCase } from "../access/access.ts";
import type { ExportedAuthority } from "../authorities/authorities.ts";
import { findCertificateContext } from "../certificates/certificates.ts";
import { certificateNotFound } from "../certificates/errors.ts";
import { isUuid } from "../lib/ids.ts";
import { certificatePem } from "../pki/pki.ts";
import type { EnrollmentDeps } from "./deps.ts";

/** The chain that a client presents, and the authorities by which listeners verify it. */
export interface CertificateChain {
  certificateId: string;
  /** The leaf and its intermediate, as a client must present them. */
  fullchainPem: string;
  /** The authorities from the intermediate that signed the leaf to the root, including retired ones. */
  issuers: readonly ExportedAuthority[];
}

/** Returns the chain of a device's certificate. @throws MusterError certificate_not_found */
export const showCertificateChain = useCase(
  { role: "viewer" },
  async ({ database: { db }, clock, authorities }: EnrollmentDeps, caller, id: string): Promise<CertificateChain> => {
    const viewer = boundedToGroupsOf(caller);
    const found = isUuid(id) ? await findCertificateContext(db, caller.tenantId, id, viewer, clock.now()) : undefined;
    if (found === undefined) throw certificateNotFound();
    const issuers = await authorities.issuersOf(found.der);
    const presented = issuers.filter(({ role }) => role === "device_intermediate").map(({ pem }) => pem);
    return { certificateId: id, fullchainPem: certificatePem(found.der) + presented.join(""), issuers };
  },
);
