import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Versioned } from "../../api/client.ts";
import {
  type GroupChannel,
  groupChannelsQuery,
  requestConfirmation,
  showWebhook,
} from "../../api/people/group-channels.ts";
import { GROUPS, type Group, updateGroup } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { Problem } from "../../api/problem.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { useAct } from "../../parts/act/use-act.tsx";
import { SendLink } from "../../parts/channels/send-link.tsx";
import { CHANNEL_CHOICES } from "../../parts/channels/test-message-table.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Word } from "../../parts/word.tsx";
import {
  Action,
  Ago,
  type Column,
  DialogActions,
  Empty,
  Notice,
  Opens,
  Secret,
  Section,
  Table,
  useOpens,
} from "../../ui/ui.ts";
import { CHANNEL_STATES, CHANNEL_TYPES } from "../../words/on-call.ts";
import { useGroupEdit } from "./use-group-edit.ts";

type Address = Pick<GroupChannel, "type" | "target">;

const LEAD =
  "Addresses besides its members: a mailbox of a team, or a webhook. Each receiver confirms the address before anything else is sent there.";
const COLUMNS = [
  { title: "Address", main: true, cell: ({ target }: Address) => <span className="mono">{target}</span> },
  { title: "Kind", cell: ({ type }: Address) => CHANNEL_TYPES[type] },
];
const keyOf = ({ type, target }: Address) => `${type} ${target}`;

/** The addresses that the group notifies besides its members, and their states. */
export function Channels({ group }: { group: Versioned<Group> }) {
  return useMay("listGroupChannels") ? <Administered group={group} /> : <Named group={group.record} />;
}

function Administered({ group }: { group: Versioned<Group> }) {
  const { id, channels } = group.record;
  const [add, dialog] = useOpens({
    label: "Add a channel",
    title: "Add a channel",
    children: (close) => <AddChannel opened={group} onClose={close} />,
  });
  const columns: readonly Column<GroupChannel>[] = [
    ...COLUMNS,
    { title: "State", cell: ({ state }) => <Word of={CHANNEL_STATES} value={state} plain /> },
    { title: "Link sent", cell: ({ requestedAt }) => <Ago at={requestedAt} none="–" /> },
    { title: "Actions", cell: (channel) => <Acts group={group} channel={channel} /> },
  ];
  return (
    <Section title="Channels" lead={LEAD} actions={channels.length > 0 && add}>
      <Records
        label="Channels"
        query={useQuery(groupChannelsQuery(id))}
        columns={columns}
        rowKey={keyOf}
        empty={<NoChannels action={add} />}
      />
      {dialog}
    </Section>
  );
}

/** The channels as members of the group see them. */
function Named({ group: { channels, unconfirmedChannels } }: { group: Group }) {
  const unconfirmed = new Set(unconfirmedChannels.map(keyOf));
  const state = (channel: Address) => (unconfirmed.has(keyOf(channel)) ? "requested" : "confirmed");
  const columns: readonly Column<Address>[] = [
    ...COLUMNS,
    { title: "State", cell: (channel) => <Word of={CHANNEL_STATES} value={state(channel)} plain /> },
  ];
  return (
    <Section title="Channels" lead={LEAD}>
      <Table label="Channels" rows={channels} rowKey={keyOf} columns={columns} empty={<NoChannels />} />
    </Section>
  );
}

function NoChannels({ action }: { action?: ReactNode }) {
  return (
    <Empty title="The group has no channel." action={action}>
      Pages go to people: who is on duty, or all members.
    </Empty>
  );
}

function Acts({ group, channel }: { group: Versioned<Group>; channel: GroupChannel }) {
  const { id, channels } = group.record;
  const { state, type, target } = channel;
  const rest = channels.filter((each) => keyOf(each) !== keyOf(channel));
  return (
    <div className="row">
      {(state === "expired" || state === "requested") && (
        <SendLink send={() => requestConfirmation(id, target)} refreshes={GROUPS} />
      )}
      {type === "webhook" && (
        <Opens small label="Secret" title="Secret of the webhook">
          {(close) => <WebhookSecret id={id} channel={channel} onClose={close} />}
        </Opens>
      )}
      <Asks
        small
        label="Remove"
        title="Remove this channel?"
        action="Remove channel"
        run={() => updateGroup(id, group.etag, { channels: rest })}
        done="Saved."
        refreshes={[GROUPS, COVERAGE]}
      >
        <p>
          Nothing more is paged to <span className="mono">{target}</span> for this group.
        </p>
      </Asks>
    </div>
  );
}

function AddChannel({ opened, onClose }: { opened: Versioned<Group>; onClose: () => void }) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const [form, field] = useFields<Address>({ type: "email", target: "" }, undefined, {
    target: (value) => (value.trim() === "" ? "Enter a value." : null),
  });
  const submit = async ({ type, target }: Address) => {
    try {
      await save({ channels: [...record.channels, { type, target: target.trim() }] });
    } catch (reason) {
      throw atTarget(reason);
    }
  };
  // The other channels may have changed: the new one is added to the present ones.
  const conflict = {
    load: () => load().then(() => form.getInitialValues()),
    labels: { type: "Kind", target: "Address" },
  };
  const isMail = form.getValues().type === "email";
  const description = isMail
    ? "One mailbox. Its receiver gets a link to confirm; the address of a user needs none."
    : "An https address that receives a POST. It answers the first one with its challenge, or a person opens the link in it.";
  return (
    <Form form={form} onSubmit={submit} action="Add channel" onCancel={onClose} conflict={conflict}>
      <NativeSelect label="Kind" data={CHANNEL_CHOICES} {...field("type")} />
      <TextInput
        label="Address"
        description={description}
        placeholder={isMail ? "pumps@acme.example" : "https://hooks.acme.example/pumps"}
        data-autofocus
        {...field("target")}
      />
    </Form>
  );
}

/** Maps a refusal that names a place in the list of channels to the one field of the form. */
function atTarget(reason: unknown): unknown {
  if (!(reason instanceof Problem) || !reason.body.detail?.includes("channels")) return reason;
  return new Problem(reason.status, { ...reason.body, detail: "target" }, reason.retryAfterSeconds);
}

interface WebhookSecretProps {
  id: string;
  channel: GroupChannel;
  onClose: () => void;
}

/** Shows the secret that signs messages to a webhook, and enables a disabled webhook. */
function WebhookSecret({ id, channel: { target, state }, onClose }: WebhookSecretProps) {
  const [shown, setShown] = useState<{ secret: string }>();
  const { act, problem } = useAct();
  const refresh = useRefresh();
  const disabled = state === "disabled";
  const show = (enable: boolean) =>
    act(async () => {
      setShown(await showWebhook(id, { target, enable }));
      if (enable) await refresh(GROUPS);
    });
  return (
    <div className="stack">
      <p>
        Messages to <span className="mono">{target}</span> are signed with a secret of this group and address (Standard
        Webhooks), so that the receiver can verify them.
      </p>
      {disabled && (
        <Notice tone="warn" title="Nothing is sent there">
          <p>It answered 410 (gone). Once the receiver is mended, have it used again.</p>
        </Notice>
      )}
      {shown && <Secret label="Signing secret" value={shown.secret} />}
      {problem}
      <DialogActions>
        <Action label="Close" onClick={onClose} />
        {disabled && <Action main label="Use it again" onClick={() => void show(true)} />}
        {!shown && <Action main label="Show the secret" onClick={() => void show(false)} />}
      </DialogActions>
    </div>
  );
}
