import { Button } from "@mantine/core";
import { type ReactNode, useState } from "react";
import {
  deleteMqttClient,
  disableMqttClient,
  enableMqttClient,
  MQTT_CLIENTS,
  type MqttClient,
  rotateMqttPassword,
} from "../../api/broker/mqtt-clients.ts";
import { renderProblem } from "../../parts/problem-box.tsx";
import { type Operation, useSession } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { type Credentials, ShowCredentials } from "./show-credentials.tsx";

interface Act {
  name: string;
  label: string;
  operation: Operation;
  title: string;
  /** The button that acts. */
  action: string;
  consequence: ReactNode;
  harmless?: true;
  /** The user types the client id. */
  typed?: true;
  run: () => Promise<unknown>;
}

/** What can be done with an MQTT client. */
export function Acts({ client }: { client: MqttClient }) {
  const [open, setOpen] = useState<string>();
  const [credentials, setCredentials] = useState<Credentials>();
  const { operations } = useSession();
  const refresh = useRefresh();
  const acts = actsOf(client, setCredentials).filter(({ operation }) => operations.includes(operation));
  return (
    <span className="row">
      {acts.map(({ name, label }) => (
        <Button key={name} size="xs" variant="default" onClick={() => setOpen(name)}>
          {label}
        </Button>
      ))}
      {acts.map(({ name, title, action, consequence, harmless, typed, run }) => (
        <Confirm
          key={name}
          title={title}
          opened={open === name}
          onClose={() => setOpen(undefined)}
          action={action}
          harmless={harmless ?? false}
          {...(typed ? { typed: client.clientId } : {})}
          problem={renderProblem}
          onConfirm={async () => {
            await run();
            await refresh(MQTT_CLIENTS);
          }}
        >
          <p>{consequence}</p>
        </Confirm>
      ))}
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

/** A disabled client is enabled or deleted; another has a password to replace, and is enabled where it is suspended. */
function actsOf(client: MqttClient, onPassword: (credentials: Credentials) => void): readonly Act[] {
  const { clientId } = client;
  const session = client.connected ? "It is connected now; its session is closed." : "It is not connected now.";
  const remove: Act = {
    name: "delete",
    label: "Delete",
    operation: "deleteMqttClient",
    title: `Delete ${clientId}?`,
    action: "Delete MQTT client",
    consequence: `Its password is refused and its client id is free for others. ${session}`,
    typed: true,
    run: async () => {
      await deleteMqttClient(clientId);
      toast(`MQTT client ${clientId} is deleted.`);
    },
  };
  if (client.disabledAt !== null) return [enabling(client), remove];
  const inUse = [rotation(client, session, onPassword), disabling(client, session), remove];
  return client.suspended ? [enabling(client), ...inUse] : inUse;
}

/** A user who rotates or enables a client becomes its owner. */
const ANSWERS = "You are its owner from then on: it works while you are an active administrator.";

function rotation({ clientId, ...client }: MqttClient, session: string, onPassword: (made: Credentials) => void): Act {
  return {
    name: "rotate",
    label: "New password",
    operation: "rotateMqttClientPassword",
    title: `Give ${clientId} a new password?`,
    action: "Make a new password",
    consequence: `The former password is refused from then on. ${session} ${ANSWERS}`,
    run: async () => {
      const { password } = await rotateMqttPassword(clientId);
      onPassword({ clientId, ...client, password });
    },
  };
}

function disabling({ clientId }: MqttClient, session: string): Act {
  return {
    name: "disable",
    label: "Disable",
    operation: "disableMqttClient",
    title: `Disable ${clientId}?`,
    action: "Disable MQTT client",
    consequence: `Its password is refused until you enable it again. Until then another client may take its client id. ${session}`,
    run: async () => {
      await disableMqttClient(clientId);
      toast(`MQTT client ${clientId} is disabled.`);
    },
  };
}

function enabling({ clientId }: MqttClient): Act {
  return {
    name: "enable",
    label: "Enable",
    operation: "enableMqttClient",
    title: `Enable ${clientId} again?`,
    action: "Enable MQTT client",
    consequence: `It can connect again with the password that it had, on the topics that it had. ${ANSWERS}`,
    harmless: true,
    run: async () => {
      await enableMqttClient(clientId);
      toast(`MQTT client ${clientId} is enabled.`);
    },
  };
}
