import type { Certificate } from "../../api/certificates.ts";
import { Notice } from "../../ui/display/status.tsx";

/** Waits until the device connects with the new certificate. */
export function SeenStep({ certificate }: { certificate: Certificate }) {
  return (
    <Notice tone="accent" title="Waiting for the device to connect with the new certificate …" live>
      <p>
        Serial number <span className="mono">{certificate.serialNumber}</span>. This page follows the broker; the former
        bundle works until you revoke it.
      </p>
      <p>
        If it does not come, see{" "}
        <a href={`/refusals?deviceId=${encodeURIComponent(certificate.deviceId)}`}>why it cannot connect</a>.
      </p>
    </Notice>
  );
}
