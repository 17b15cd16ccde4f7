import { NativeSelect, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/device.ts";
import {
  COMMANDS,
  cancelCommand,
  commandsQuery,
  type DeviceCommand,
  sendCommand,
} from "../../../api/broker/commands.ts";
import type { Schemas } from "../../../api/client.ts";
import { deviceTypesQuery } from "../../../api/device-types.ts";
import type { Device } from "../../../api/devices.ts";
import { Asks } from "../../../parts/act/confirm.tsx";
import { Actor } from "../../../parts/actor.tsx";
import { Form, useFields } from "../../../parts/form/form.tsx";
import { Records } from "../../../parts/list/records.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { useMay, useSession } from "../../../parts/session.ts";
import { useListState } from "../../../parts/url-state.ts";
import { Ago, type Column, Empty, Opens, Section, Time } from "../../../ui/ui.ts";
import type { TabProps } from "../tab-props.ts";

export function CommandsTab({ device }: TabProps) {
  const list = useListState();
  const maySend = useMay("sendCommand");
  return (
    <Section
      title={t.commands}
      lead={t.messagesThatWaitUntilThe}
      actions={
        maySend && (
          <Opens main label={t.sendACommand} title={t.sendACommandTo(device.name)} wide>
            {(close) => <SendCommand device={device} onClose={close} />}
          </Opens>
        )
      }
    >
      <Records
        label={t.commandsThatWaitForThe}
        of={nouns.command}
        list={list}
        columns={columnsOf(device.id)}
        query={useQuery(commandsQuery(device.id, list.skip))}
        empty={<Empty title={t.noCommandWaitsForThe} />}
      />
    </Section>
  );
}

function columnsOf(deviceId: string): readonly Column<DeviceCommand>[] {
  return [
    { title: t.topic, main: true, cell: ({ topic }) => <span className="mono">{topic}</span> },
    { title: t.payload, cell: ({ payload }) => <code>{startOf(payload)}</code> },
    { title: t.sent, cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { title: common.by, cell: ({ createdBy }) => <Actor of={createdBy} /> },
    { title: common.expires, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { title: common.actions, cell: ({ id }) => <Cancel deviceId={deviceId} id={id} /> },
  ];
}

const SHOWN_CHARACTERS = 80;

function startOf(payload: string): string {
  return payload.length > SHOWN_CHARACTERS ? `${payload.slice(0, SHOWN_CHARACTERS)}…` : payload;
}

function Cancel({ deviceId, id }: { deviceId: string; id: string }) {
  if (!useMay("cancelCommand")) return null;
  return (
    <Asks
      small
      label={t.cancel}
      title={t.cancelThisCommand}
      action={t.cancelTheCommand}
      run={() => cancelCommand(deviceId, id)}
      refreshes={[COMMANDS]}
    >
      <p>{t.ifTheDeviceHasAlready}</p>
    </Asks>
  );
}

const HOUR = 60;
const WAITS = [
  { value: String(HOUR), label: t.n1Hour },
  { value: String(24 * HOUR), label: t.n1Day },
  { value: String(7 * 24 * HOUR), label: t.n7Days },
];

function SendCommand({ device, onClose }: { device: Device; onClose: () => void }) {
  const { tenant } = useSession();
  return (
    <Loaded query={useQuery(deviceTypesQuery)}>
      {({ items }) => {
        const type = items.find(({ id }) => id === device.deviceTypeId);
        const templates = type?.subscribeTopics ?? [];
        if (templates.length === 0) return <NoTopic type={type} />;
        const topics = templates.map((each) => `t/${tenant.slug}/${each.replaceAll("{deviceId}", device.id)}`);
        return <Fields device={device} topics={topics} onClose={onClose} />;
      }}
    </Loaded>
  );
}

function Fields({ device, topics, onClose }: { device: Device; topics: readonly string[]; onClose: () => void }) {
  const [form, field] = useFields({ topic: topics[0] ?? "", payload: "", minutes: String(24 * HOUR) }, "sendCommand");
  const submit = ({ topic, payload, minutes }: typeof form.values) =>
    sendCommand(device.id, { topic, payload, expiresInMinutes: Number(minutes) });
  return (
    <Form
      form={form}
      onSubmit={submit}
      action={t.send}
      onCancel={onClose}
      done={t.theCommandWaitsForThe}
      refreshes={[COMMANDS]}
      onDone={onClose}
    >
      <NativeSelect label={t.topic} description={t.theDeviceSubscribesToIt} data={[...topics]} {...field("topic")} />
      <Textarea
        label={t.payload}
        description={t.asText}
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        data-autofocus
        {...field("payload")}
      />
      <NativeSelect label={t.waitsForTheDeviceFor} data={WAITS} {...field("minutes")} />
    </Form>
  );
}

function NoTopic({ type }: { type: Schemas["DeviceType"] | undefined }) {
  if (!type) return <p>{t.theDeviceHasNoDevice}</p>;
  return (
    <>
      <p>{t.theDeviceTypeListsNo(<a href={`/device-types/${type.id}`}>{type.name}</a>)}</p>
      <p>{t.thenHaveTheDeviceRenew}</p>
    </>
  );
}
