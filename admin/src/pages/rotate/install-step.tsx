import { Button } from "@mantine/core";
import type { Bundle } from "../../api/certificates.ts";
import { Notice } from "../../ui/display/status.tsx";
import { BundleOnce } from "../certificates/bundle-once.tsx";

interface InstallStepProps {
  /** Absent after a reload: it is shown once. */
  bundle: Bundle | undefined;
  deviceId: string;
  onInstalled: () => void;
}

/** The new bundle, to be saved and put onto the device. */
export function InstallStep({ bundle, deviceId, onInstalled }: InstallStepProps) {
  return (
    <>
      {bundle ? (
        <BundleOnce bundle={bundle} />
      ) : (
        <Notice tone="warn" title="The bundle was shown once.">
          <p>
            If you have not saved it, revoke it and{" "}
            <a href={`/devices/${encodeURIComponent(deviceId)}/rotate`}>begin again</a>.
          </p>
        </Notice>
      )}
      <p>Replace key, certificate and chain on the device, and let its client connect again.</p>
      <div className="row">
        <Button onClick={onInstalled}>I have installed it</Button>
      </div>
    </>
  );
}
