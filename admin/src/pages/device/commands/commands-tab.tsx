import { NativeSelect, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
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
      title="Commands"
      lead="Messages that wait until the device has acknowledged them. It gets them when it is connected and subscribes to their topic."
      actions={
        maySend && (
          <Opens main label="Send a command" title={`Send a command to ${device.name}`} wide>
            {(close) => <SendCommand device={device} onClose={close} />}
          </Opens>
        )
      }
    >
      <Records
        label="Commands that wait for the device"
        of="command"
        list={list}
        columns={columnsOf(device.id)}
        query={useQuery(commandsQuery(device.id, list.skip))}
        empty={<Empty title="No command waits for the device" />}
      />
    </Section>
  );
}

function columnsOf(deviceId: string): readonly Column<DeviceCommand>[] {
  return [
    { title: "Topic", main: true, cell: ({ topic }) => <span className="mono">{topic}</span> },
    { title: "Payload", cell: ({ payload }) => <code>{startOf(payload)}</code> },
    { title: "Sent", cell: ({ createdAt }) => <Ago at={createdAt} /> },
    { title: "By", cell: ({ createdBy }) => <Actor of={createdBy} /> },
    { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    { title: "Actions", cell: ({ id }) => <Cancel deviceId={deviceId} id={id} /> },
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
      label="Cancel"
      title="Cancel this command?"
      action="Cancel the command"
      run={() => cancelCommand(deviceId, id)}
      refreshes={[COMMANDS]}
    >
      <p>If the device has already been sent it and has not acknowledged it yet, it may act on it all the same.</p>
    </Asks>
  );
}

const HOUR = 60;
const WAITS = [
  { value: String(HOUR), label: "1 hour" },
  { value: String(24 * HOUR), label: "1 day" },
  { value: String(7 * 24 * HOUR), label: "7 days" },
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
      action="Send"
      onCancel={onClose}
      done="The command waits for the device."
      refreshes={[COMMANDS]}
      onDone={onClose}
    >
      <NativeSelect
        label="Topic"
        description="The device subscribes to it with QoS 1 or 2."
        data={[...topics]}
        {...field("topic")}
      />
      <Textarea
        label="Payload"
        description="As text"
        autosize
        minRows={3}
        maxRows={12}
        spellCheck={false}
        data-autofocus
        {...field("payload")}
      />
      <NativeSelect label="Waits for the device for" data={WAITS} {...field("minutes")} />
    </Form>
  );
}

function NoTopic({ type }: { type: Schemas["DeviceType"] | undefined }) {
  if (!type) return <p>The device has no device type, so there is no topic that it may subscribe to.</p>;
  return (
    <>
      <p>
        The device type <a href={`/device-types/${type.id}`}>{type.name}</a> lists no topic that its devices may
        subscribe to: add one to it first.
      </p>
      <p>
        Then have the device renew its certificate, or issue a new bundle for it: the topics of a certificate never
        change.
      </p>
    </>
  );
}
