import type { ReactNode } from "react";
import type { Claim } from "../../api/claims.ts";
import { QrCode } from "../../ui/display/qr-code.tsx";
import { Secret } from "../../ui/input/secret.tsx";
import { Section } from "../../ui/page/page.tsx";
import { EnrollmentCommands } from "../connect/enrollment-commands.tsx";
import { useBroker } from "../connect/use-broker.ts";
import "./claim-code.css";

interface ClaimCodeProps {
  code: string;
  claim: Claim;
  /** Below the code, beside the QR code. */
  children: ReactNode;
}

/** The code, once: as text, as a QR code for a phone beside the device, and in commands. */
export function ClaimCode({ code, claim, children }: ClaimCodeProps) {
  const { baseUrl } = useBroker();
  return (
    <>
      <div className="claim-code">
        <div className="stack">
          <Secret label="Claim code" value={code} />
          {children}
        </div>
        {baseUrl && (
          <figure>
            <QrCode label={`QR code of the claim code ${code}`} text={`${baseUrl}/enroll#${code}`} />
            <figcaption className="soft">
              Opens the commands on a phone. The code is in the part of the address that no browser sends.
            </figcaption>
          </figure>
        )}
      </div>
      <Section title="Run this on the device">
        <EnrollmentCommands claim={{ ...claim, claimCode: code }} redeemed={claim.usedCount >= claim.maxUses} />
      </Section>
    </>
  );
}
