import type { Schemas } from "../../api/client.ts";
import { Notice } from "../../ui/display/status.tsx";

interface ReusedIdentityProps {
  claim: Schemas["CreatedClaim"];
  device: Schemas["Device"];
}

/** A device that had enrolled before redeems a claim under the identity that it has: no device is added. */
export function ReusedIdentity({ claim, device }: ReusedIdentityProps) {
  if (Date.parse(device.createdAt) >= Date.parse(claim.createdAt)) return null;
  return (
    <Notice tone="warn" title={`${device.name} redeemed the code`}>
      <p>
        It had enrolled before, so it kept its device id <span className="mono">{device.id}</span> and its name, and has
        a new certificate. For another device, use another folder or another machine.
      </p>
    </Notice>
  );
}
