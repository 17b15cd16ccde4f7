import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  createMqttClient,
  deleteMqttClient,
  disableMqttClient,
  enableMqttClient,
  MQTT_CLIENTS,
  type MqttClient,
  mqttClientsQuery,
  rotateMqttPassword,
} from "../../api/broker/mqtt-clients.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { TopicsField, topicsIn } from "../../parts/topics-field.tsx";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, CopyBlock, Dialog, Empty, Page, Secret, ShownOnce, Status, useOpens } from "../../ui/ui.ts";
import { useBroker } from "../connect/use-broker.ts";

const COLUMNS: readonly Column<MqttClient>[] = [
  { title: "Client id", main: true, cell: ({ clientId }) => <span className="mono">{clientId}</span> },
  { title: "User name", cell: ({ username }) => <span className="mono">{username}</span> },
  { title: "State", cell: (client) => <State client={client} /> },
  { title: "Publishes on", cell: ({ publish }) => <Topics topics={publish} /> },
  { title: "Subscribes to", cell: ({ subscribe }) => <Topics topics={subscribe} /> },
  { title: "Owner", cell: ({ owner }) => owner ?? <span className="soft">none</span> },
  { title: "Registered", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: "Actions", cell: (client) => <Acts client={client} /> },
];

export default function MqttClientsPage() {
  const list = useListState();
  const [button, dialog] = useOpens({
    main: true,
    label: "Register MQTT client",
    title: "Register an MQTT client",
    wide: true,
    children: (close) => <Register onClose={close} />,
  });
  const create = useMay("createMqttClient") && button;
  return (
    <Page
      title="MQTT clients"
      lead="Gateways and services that connect with user name and password. Devices have certificates instead."
      actions={create}
    >
      <Records
        label="MQTT clients"
        of="MQTT client"
        list={list}
        query={useQuery(mqttClientsQuery(list.skip))}
        columns={COLUMNS}
        csv={[MQTT_CLIENTS, {}]}
        empty={
          <Empty title="There is no MQTT client yet." action={create}>
            Register one for each program that reads what devices send, or sends commands to them.
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

function State({ client: { disabledAt, suspended, connected } }: { client: MqttClient }) {
  if (disabledAt !== null) return <Status plain of={["bad", "Disabled"]} />;
  if (!suspended) return <Status plain of={connected ? ["good", "Connected"] : ["neutral", "Not connected"]} />;
  return (
    <div>
      <Status plain of={["warn", "Suspended"]} />
      <div className="soft">Its owner is not an active administrator.</div>
    </div>
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">nothing</span>;
  return <span className="mono">{topics.join(", ")}</span>;
}

function Register({ onClose }: { onClose: () => void }) {
  const prefix = `t/${useSession().tenant.slug}/`;
  const [made, setMade] = useState<Credentials>();
  const initial = { clientId: "", username: "", publish: "", subscribe: `${prefix}telemetry/+` };
  const [form, field] = useFields(initial, "createMqttClient");
  const submit = async ({ clientId, username, publish, subscribe }: typeof form.values) => {
    const topics = { publish: topicsIn(publish), subscribe: topicsIn(subscribe) };
    setMade({ ...(await createMqttClient({ clientId, username, ...topics })), ...topics });
  };
  if (made) return <ShowCredentials title={`MQTT client ${made.clientId}`} credentials={made} onDone={onClose} />;
  return (
    <Form form={form} onSubmit={submit} action="Register" onCancel={onClose} refreshes={[MQTT_CLIENTS]}>
      <TextInput
        label="Client id"
        description="It belongs to this client from then on; no device can have it."
        placeholder="scada-gateway"
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...field("clientId")}
      />
      <TextInput label="User name" placeholder="scada" autoComplete="off" spellCheck={false} {...field("username")} />
      <TopicsField
        label="Subscribes to"
        description={`Topic filters, one in a line, below ${prefix}`}
        {...field("subscribe")}
      />
      <TopicsField
        label="Publishes on"
        description={`Topics, one in a line, below ${prefix}; whole, without wildcards`}
        placeholder={`${prefix}commands/pump-1`}
        {...field("publish")}
      />
    </Form>
  );
}

interface Credentials {
  clientId: string;
  username: string;
  password: string;
  publish: readonly string[];
  subscribe: readonly string[];
}

/** A user who rotates or enables a client becomes its owner. */
const ANSWERS = "You are its owner from then on: it works while you are an active administrator.";

/** The acts for an MQTT client. A disabled client can be enabled or deleted; a suspended one can be enabled as well. */
function Acts({ client }: { client: MqttClient }) {
  const { clientId, disabledAt, suspended, connected } = client;
  const mayEnable = useMay("enableMqttClient") && (disabledAt !== null || suspended);
  const mayDelete = useMay("deleteMqttClient");
  const session = connected ? "It is connected now; its session is closed." : "It is not connected now.";
  return (
    <span className="row">
      {mayEnable && (
        <Asks
          {...ACT}
          label="Enable"
          title={`Enable ${clientId} again?`}
          action="Enable MQTT client"
          harmless
          run={() => enableMqttClient(clientId)}
          done={`MQTT client ${clientId} is enabled.`}
        >
          <p>It can connect again with the password that it had, on the topics that it had. {ANSWERS}</p>
        </Asks>
      )}
      {disabledAt === null && <InUse client={client} session={session} />}
      {mayDelete && (
        <Asks
          {...ACT}
          label="Delete"
          title={`Delete ${clientId}?`}
          action="Delete MQTT client"
          typed={clientId}
          run={() => deleteMqttClient(clientId)}
          done={`MQTT client ${clientId} is deleted.`}
        >
          <p>{`Its password is refused and its client id is free for others. ${session}`}</p>
        </Asks>
      )}
    </span>
  );
}

const ACT = { small: true, refreshes: [MQTT_CLIENTS] };

/** The acts for an enabled client: another password, and disabling it. */
function InUse({ client, session }: { client: MqttClient; session: string }) {
  const { clientId } = client;
  const [made, setMade] = useState<Credentials>();
  const [mayRotate, mayDisable] = [useMay("rotateMqttClientPassword"), useMay("disableMqttClient")];
  const rotate = async () => setMade({ ...client, ...(await rotateMqttPassword(clientId)) });
  const close = () => setMade(undefined);
  const title = "The new password";
  return (
    <>
      {mayRotate && (
        <Asks
          {...ACT}
          label="New password"
          title={`Give ${clientId} a new password?`}
          action="Make a new password"
          run={rotate}
        >
          <p>{`The former password is refused from then on. ${session} ${ANSWERS}`}</p>
        </Asks>
      )}
      {mayDisable && (
        <Asks
          {...ACT}
          label="Disable"
          title={`Disable ${clientId}?`}
          action="Disable MQTT client"
          run={() => disableMqttClient(clientId)}
          done={`MQTT client ${clientId} is disabled.`}
        >
          <p>
            {`Its password is refused until you enable it again. Until then another client may take its client id. ${session}`}
          </p>
        </Asks>
      )}
      <Dialog title={title} wide opened={made !== undefined} onClose={close}>
        {made && <ShowCredentials title={title} credentials={made} onDone={close} />}
      </Dialog>
    </>
  );
}

interface ShowCredentialsProps {
  title: string;
  credentials: Credentials;
  onDone: () => void;
}

/** A password, shown once, with a command that tries it. */
function ShowCredentials({ title, credentials, onDone }: ShowCredentialsProps) {
  const { broker, caPem } = useBroker();
  return (
    <ShownOnce title={title} done="I have copied it" onDone={onDone}>
      <Secret label={`Password of ${credentials.clientId}`} value={credentials.password} />
      {broker && (
        <CopyBlock label="Try it where the Mosquitto clients are installed">{commandOf(credentials, broker)}</CopyBlock>
      )}
      {caPem ? (
        <CopyBlock label="The authority that verifies the broker" file="ca.pem">
          {caPem}
        </CopyBlock>
      ) : (
        <p className="soft">
          <code>ca.pem</code> is the authority that verifies the broker, as it is in every certificate bundle.
        </p>
      )}
    </ShownOnce>
  );
}

/** Returns a command that subscribes to what the client may read; a client that may only write publishes. */
function commandOf(credentials: Credentials, { host, port }: { host: string; port: number }): string {
  const { clientId, username, password, publish, subscribe } = credentials;
  const login = `-h ${host} -p ${port} --cafile ca.pem \\\n  -i '${clientId}' -u '${username}' -P '${password}'`;
  const [filter] = subscribe;
  if (filter !== undefined) return `mosquitto_sub -V mqttv5 ${login} -t '${filter}' -v`;
  return `mosquitto_pub -V mqttv5 ${login} -t '${publish[0] ?? "…"}' -m '{}'`;
}
