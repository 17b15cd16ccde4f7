import type { Certificate } from "../../api/certificates.ts";
import { Status } from "../../ui/display/status.tsx";
import { stateOfCertificate } from "../../words/certificates.ts";

/** What can be done with a certificate now. */
export function CertificateState({ certificate }: { certificate: Certificate }) {
  const [tone, label] = stateOfCertificate(certificate);
  return (
    <Status plain tone={tone}>
      {label}
    </Status>
  );
}
