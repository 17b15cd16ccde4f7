import type { Certificate } from "../../api/certificates.ts";
import { Status } from "../../ui/ui.ts";
import { stateOfCertificate } from "../../words/certificates.ts";

export function CertificateState({ certificate }: { certificate: Certificate }) {
  const [tone, label] = stateOfCertificate(certificate);
  return <Status of={[tone, label]} plain />;
}
