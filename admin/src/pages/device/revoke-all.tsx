import { Button } from "@mantine/core";
import { useState } from "react";
import { CERTIFICATES, type Certificate, revokeCertificatesOfDevice } from "../../api/certificates.ts";
import type { Schemas } from "../../api/client.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { plural } from "../../ui/display/format.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { CERTIFICATE_KINDS } from "../../words/certificates.ts";

interface RevokeAllProps {
  device: Schemas["Device"];
  /** Its certificates that are neither revoked nor expired. */
  live: readonly Certificate[];
}

/** Revokes every live certificate of a device, after saying what ends and what the device needs then. */
export function RevokeAll({ device, live }: RevokeAllProps) {
  const [opened, setOpened] = useState(false);
  const refresh = useRefresh();
  return (
    <>
      <Button
        color="bad"
        variant="light"
        onClick={() => setOpened(true)}
        disabled={live.length === 0}
        title={live.length === 0 ? "The device has no live certificate." : undefined}
      >
        Revoke all
      </Button>
      <Confirm
        title={`Revoke all certificates of ${device.name}?`}
        opened={opened}
        onClose={() => setOpened(false)}
        action={`Revoke ${plural(live.length, "certificate")}`}
        typed={device.id}
        problem={renderProblem}
        onConfirm={async () => {
          const { revoked } = await revokeCertificatesOfDevice(device.id);
          toast(`Revoked ${plural(revoked.length, "certificate")} of ${device.name}.`);
          await refresh(CERTIFICATES, "/api/admin/devices", "/api/admin/overview", "/api/admin/audit");
        }}
      >
        <Notice tone="bad" title="They cannot be restored.">
          <Ends device={device} />
          <p>The device cannot connect until it gets a new certificate. {wayBack(device)}</p>
        </Notice>
        <ul>
          {live.map(({ id, kind, serialNumber, expiresAt }) => (
            <li key={id}>
              {CERTIFICATE_KINDS[kind]} <span className="mono">…{serialNumber.slice(-10)}</span>, expires{" "}
              <Time at={expiresAt} />
            </li>
          ))}
        </ul>
      </Confirm>
    </>
  );
}

/** The sessions that end. */
function Ends({ device: { connectivity } }: Pick<RevokeAllProps, "device">) {
  if (connectivity.status !== "online") return <p>The device is not connected now.</p>;
  return (
    <p>
      <strong>The device is connected</strong> since <Time at={connectivity.since} />: its session is closed at once.
    </p>
  );
}

/** A device that enrolled itself once redeems no other claim without its valid certificate. */
function wayBack({ hardwareFingerprint }: Schemas["Device"]): string {
  return hardwareFingerprint === null
    ? "Issue a bundle for it and install that on the device."
    : "Issue a bundle for it; or delete the device, so that it can enroll again with a new claim.";
}
