import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/keys.ts";
import { t as screens } from "#texts/screens.ts";
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
import { LinesField, linesIn } from "../../parts/lines-field.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import {
  Action,
  Ago,
  type Column,
  CopyBlock,
  Dialog,
  Empty,
  Page,
  Secret,
  ShownOnce,
  Status,
  useOpens,
} from "../../ui/ui.ts";
import { useBroker } from "../connect/use-broker.ts";

const COLUMNS: readonly Column<MqttClient>[] = [
  { title: t.clientId, main: true, cell: ({ clientId }) => <span className="mono">{clientId}</span> },
  { title: t.userName, cell: ({ username }) => <span className="mono">{username}</span> },
  { title: common.state, cell: (client) => <State client={client} /> },
  { title: common.publishesOn, cell: ({ publish }) => <Topics topics={publish} /> },
  { title: t.subscribesTo, cell: ({ subscribe }) => <Topics topics={subscribe} /> },
  { title: t.owner, cell: ({ owner }) => owner ?? <span className="soft">{common.none}</span> },
  { title: t.registered, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { title: common.actions, cell: (client) => <Acts client={client} /> },
];

export default function MqttClientsPage() {
  const list = useListState();
  const [button, dialog] = useOpens({
    main: true,
    label: t.registerMqttClient,
    title: t.registerAnMqttClient,
    wide: true,
    children: (close) => <Register onClose={close} />,
  });
  const create = useMay("createMqttClient") && button;
  return (
    <Page title={t.mqttClients} lead={t.gatewaysAndServicesThatConnect} actions={create}>
      <Records
        label={t.mqttClients}
        of={nouns.mqttClient}
        list={list}
        query={useQuery(mqttClientsQuery(list.skip))}
        columns={COLUMNS}
        csv={[MQTT_CLIENTS, {}]}
        empty={
          <Empty title={t.thereIsNoMqttClient} action={create}>
            {t.registerOneForEachProgram}
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

function State({ client: { disabledAt, suspended, connected } }: { client: MqttClient }) {
  if (disabledAt !== null) return <Status plain of={["bad", t.disabled]} />;
  if (!suspended)
    return <Status plain of={connected ? ["good", common.connected] : ["neutral", common.notConnected]} />;
  return (
    <div>
      <Status plain of={["warn", t.suspended]} />
      <div className="soft">{t.itsOwnerIsNotAn}</div>
    </div>
  );
}

function Topics({ topics }: { topics: readonly string[] }) {
  if (topics.length === 0) return <span className="soft">{common.nothing}</span>;
  return <span className="mono">{topics.join(", ")}</span>;
}

function Register({ onClose }: { onClose: () => void }) {
  const prefix = `t/${useSession().tenant.slug}/`;
  const [made, setMade] = useState<Credentials>();
  const initial = { clientId: "", username: "", publish: "", subscribe: `${prefix}telemetry/+` };
  const [form, field] = useFields(initial, "createMqttClient");
  const submit = async ({ clientId, username, publish, subscribe }: typeof form.values) => {
    const topics = { publish: linesIn(publish), subscribe: linesIn(subscribe) };
    setMade({ ...(await createMqttClient({ clientId, username, ...topics })), ...topics });
  };
  if (made) return <ShowCredentials title={t.mqttClient(made.clientId)} credentials={made} onDone={onClose} />;
  return (
    <Form form={form} onSubmit={submit} action={t.register} onCancel={onClose} refreshes={[MQTT_CLIENTS]}>
      <TextInput
        label={t.clientId}
        description={t.itBelongsToThisClient}
        placeholder={t.scadaGateway}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...field("clientId")}
      />
      <TextInput
        label={t.userName}
        placeholder={t.scada}
        autoComplete="off"
        spellCheck={false}
        {...field("username")}
      />
      <LinesField label={t.subscribesTo} description={t.topicFiltersOneInA(prefix)} {...field("subscribe")} />
      <LinesField
        label={common.publishesOn}
        description={t.topicsOneInALine(prefix)}
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
const ANSWERS = t.youAreItsOwnerFrom;

/** The acts for an MQTT client. A disabled client can be enabled or deleted; a suspended one can be enabled as well. */
function Acts({ client }: { client: MqttClient }) {
  const { clientId, disabledAt, suspended, connected } = client;
  const mayEnable = useMay("enableMqttClient") && (disabledAt !== null || suspended);
  const mayDelete = useMay("deleteMqttClient");
  const session = connected ? t.itIsConnectedNowIts : t.itIsNotConnectedNow;
  return (
    <span className="row">
      {useMay("startClientTrace") && (
        <Action small label={screens.liveMessages} href={`/clients/${encodeURIComponent(clientId)}/live`} />
      )}
      {mayEnable && (
        <Asks
          {...ACT}
          label={t.enable}
          title={t.enableAgain(clientId)}
          action={t.enableMqttClient}
          harmless
          run={() => enableMqttClient(clientId)}
          done={t.mqttClientIsEnabled(clientId)}
        >
          <p>{t.itCanConnectAgainWith(ANSWERS)}</p>
        </Asks>
      )}
      {disabledAt === null && <InUse client={client} session={session} />}
      {mayDelete && (
        <Asks
          {...ACT}
          label={common.delete}
          title={t.delete(clientId)}
          action={t.deleteMqttClient}
          typed={clientId}
          run={() => deleteMqttClient(clientId)}
          done={t.mqttClientIsDeleted(clientId)}
        >
          <p>{t.itsPasswordIsRefusedAnd(session)}</p>
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
  const title = t.theNewPassword;
  return (
    <>
      {mayRotate && (
        <Asks
          {...ACT}
          label={common.newPassword}
          title={t.giveANewPassword(clientId)}
          action={t.makeANewPassword}
          run={rotate}
        >
          <p>{t.theFormerPasswordIsRefused(session, ANSWERS)}</p>
        </Asks>
      )}
      {mayDisable && (
        <Asks
          {...ACT}
          label={t.disable}
          title={t.disable2(clientId)}
          action={t.disableMqttClient}
          run={() => disableMqttClient(clientId)}
          done={t.mqttClientIsDisabled(clientId)}
        >
          <p>{t.itsPasswordIsRefusedUntil(session)}</p>
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
    <ShownOnce title={title} done={t.iHaveCopiedIt} onDone={onDone}>
      <Secret label={t.passwordOf(credentials.clientId)} value={credentials.password} />
      {broker && <CopyBlock label={t.tryItWhereTheMosquitto}>{commandOf(credentials, broker)}</CopyBlock>}
      {caPem ? (
        <CopyBlock label={t.theAuthorityThatVerifiesThe} file="ca.pem">
          {caPem}
        </CopyBlock>
      ) : (
        <p className="soft">{t.isTheAuthorityThatVerifies(<code>ca.pem</code>)}</p>
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
