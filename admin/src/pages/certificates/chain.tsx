import { useQuery } from "@tanstack/react-query";
import { chainQuery } from "../../api/certificates.ts";
import type { Schemas } from "../../api/client.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Time } from "../../ui/display/time.tsx";
import { CopyBlock } from "../../ui/input/copy.tsx";
import { Section } from "../../ui/page/page.tsx";
import "./chain.css";

/** What a client presents, and the authorities by which the broker verifies it. */
export function Chain({ certificateId }: { certificateId: string }) {
  const query = useQuery(chainQuery(certificateId));
  return (
    <Section
      title="Chain"
      lead="A client presents its certificate followed by the intermediate. One that presents the certificate alone is refused."
    >
      <Loaded query={query}>
        {({ fullchainPem, issuers }) => (
          <>
            <ol className="chain">
              <li>The certificate</li>
              {issuers.map((issuer) => (
                <Issuer key={issuer.id} issuer={issuer} />
              ))}
            </ol>
            <details>
              <summary>What the client presents, as PEM</summary>
              <CopyBlock label="Certificate and intermediate" file="fullchain.pem">
                {fullchainPem}
              </CopyBlock>
            </details>
          </>
        )}
      </Loaded>
    </Section>
  );
}

function Issuer({ issuer }: { issuer: Schemas["IssuingAuthority"] }) {
  return (
    <li>
      {issuer.role === "device_root" ? "Root" : "Intermediate"} <strong>{issuer.name}</strong>, {issuer.status}, until{" "}
      <Time at={issuer.notAfter} />
      <br />
      <span className="mono soft">{issuer.fingerprintSha256}</span>
    </li>
  );
}
