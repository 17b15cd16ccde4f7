import { Button } from "@mantine/core";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { DEVICES, disconnectDevice } from "../../api/devices.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Confirm } from "../../ui/input/confirm.tsx";

/** Closes the sessions of a device, which may connect again at once. */
export function Disconnect({ device }: { device: Schemas["Device"] }) {
  const [opened, setOpened] = useState(false);
  const refresh = useRefresh();
  const online = device.connectivity.status === "online";
  return (
    <>
      <Button
        variant="default"
        onClick={() => setOpened(true)}
        disabled={!online}
        title={online ? undefined : "The device is not connected."}
      >
        Disconnect
      </Button>
      <Confirm
        title={`Disconnect ${device.name}?`}
        opened={opened}
        onClose={() => setOpened(false)}
        action="Disconnect"
        harmless
        problem={renderProblem}
        onConfirm={async () => {
          await disconnectDevice(device.id);
          toast(`The session of ${device.name} is closed.`);
          await refresh(DEVICES);
        }}
      >
        <p>
          Its session is closed at once. Its certificates stay valid, and most clients connect again by themselves: to
          keep it out, revoke its certificates.
        </p>
      </Confirm>
    </>
  );
}
