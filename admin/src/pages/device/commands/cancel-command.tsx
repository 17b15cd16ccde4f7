import { Button } from "@mantine/core";
import { useState } from "react";
import { COMMANDS, cancelCommand, type DeviceCommand } from "../../../api/broker/commands.ts";
import { renderProblem } from "../../../parts/problem-box.tsx";
import { useMay } from "../../../parts/session.ts";
import { useRefresh } from "../../../parts/use-refresh.ts";
import { Confirm } from "../../../ui/input/confirm.tsx";

/** Takes back a command that waits. */
export function CancelCommand({ deviceId, command }: { deviceId: string; command: DeviceCommand }) {
  const [opened, setOpened] = useState(false);
  const refresh = useRefresh();
  if (!useMay("cancelCommand")) return null;
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => setOpened(true)}>
        Cancel
      </Button>
      <Confirm
        title="Cancel this command?"
        opened={opened}
        onClose={() => setOpened(false)}
        action="Cancel the command"
        problem={renderProblem}
        onConfirm={async () => {
          await cancelCommand(deviceId, command.id);
          await refresh(COMMANDS);
        }}
      >
        <p>If the device has already been sent it and has not acknowledged it yet, it may act on it all the same.</p>
      </Confirm>
    </>
  );
}
