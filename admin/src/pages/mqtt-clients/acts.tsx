import { Button } from "@mantine/core";
import { useState } from "react";
import { deleteMqttClient, MQTT_CLIENTS, type MqttClient, rotateMqttPassword } from "../../api/mqtt-clients.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { type Credentials, ShowCredentials } from "./show-credentials.tsx";

/** What can be done with an MQTT client. */
export function Acts({ client }: { client: MqttClient }) {
  const [open, setOpen] = useState<"rotate" | "delete">();
  const [credentials, setCredentials] = useState<Credentials>();
  const may = useMay("deleteMqttClient");
  const refresh = useRefresh();
  const close = () => setOpen(undefined);
  const consequence = client.connected ? "It is connected now; its session is closed." : "It is not connected now.";
  if (!may) return null;
  return (
    <span className="row">
      <Button size="xs" variant="default" onClick={() => setOpen("rotate")} disabled={client.disabledAt !== null}>
        New password
      </Button>
      <Button size="xs" variant="default" onClick={() => setOpen("delete")}>
        Delete
      </Button>
      <Confirm
        title={`Give ${client.clientId} a new password?`}
        opened={open === "rotate"}
        onClose={close}
        action="Make a new password"
        problem={renderProblem}
        onConfirm={async () => {
          const made = await rotateMqttPassword(client.clientId);
          setCredentials({ ...client, password: made.password });
          await refresh(MQTT_CLIENTS);
        }}
      >
        <p>The former password is refused from then on. {consequence}</p>
      </Confirm>
      <Confirm
        title={`Delete ${client.clientId}?`}
        opened={open === "delete"}
        onClose={close}
        action="Delete MQTT client"
        typed={client.clientId}
        problem={renderProblem}
        onConfirm={async () => {
          await deleteMqttClient(client.clientId);
          toast(`MQTT client ${client.clientId} is deleted.`);
          await refresh(MQTT_CLIENTS);
        }}
      >
        <p>Its password is refused and its client id is free for others. {consequence}</p>
      </Confirm>
      <Dialog
        title="The new password"
        wide
        keep
        opened={credentials !== undefined}
        onClose={() => setCredentials(undefined)}
      >
        {credentials && <ShowCredentials credentials={credentials} onDone={() => setCredentials(undefined)} />}
      </Dialog>
    </span>
  );
}
