import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type GroupChannel, groupChannelsQuery, requestConfirmation } from "../../api/people/group-channels.ts";
import { GROUPS, type Group } from "../../api/people/groups.ts";
import type { Versioned } from "../../api/versioned.ts";
import { SendLink } from "../../parts/channels/send-link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { Word } from "../../parts/word.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Section } from "../../ui/page/page.tsx";
import { CHANNEL_STATES, CHANNEL_TYPES } from "../../words/on-call.ts";
import { AddChannel } from "./add-channel.tsx";
import { useGroupEdit } from "./use-group-edit.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

type Act = "add" | { act: "remove" | "secret"; channel: GroupChannel };

/** Where the group is notified besides its members, and whether each address is used. */
export function Channels({ group }: { group: Versioned<Group> }) {
  const mayList = useMay("listGroupChannels");
  if (!mayList) return <Named group={group.record} />;
  return <Administered group={group} />;
}

function Administered({ group }: { group: Versioned<Group> }) {
  const [open, setOpen] = useState<Act>();
  const query = useQuery(groupChannelsQuery(group.record.id));
  const close = () => setOpen(undefined);
  const opened = typeof open === "object" ? open : undefined;
  const add = (
    <Button variant="default" onClick={() => setOpen("add")}>
      Add a channel
    </Button>
  );
  const columns: readonly Column<GroupChannel>[] = [
    ...COLUMNS,
    {
      key: "acts",
      title: "Actions",
      cell: (channel) => <Acts id={group.record.id} channel={channel} onOpen={(act) => setOpen({ act, channel })} />,
    },
  ];
  return (
    <Section title="Channels" lead={LEAD} actions={group.record.channels.length > 0 && add}>
      <Loaded query={query}>
        {({ items }) => (
          <Table label="Channels" columns={columns} rows={items} rowKey={keyOf} empty={<NoChannels action={add} />} />
        )}
      </Loaded>
      <Dialog title="Add a channel" opened={open === "add"} onClose={close}>
        <AddChannel opened={group} onClose={close} />
      </Dialog>
      {opened && <Remove group={group} channel={opened.channel} opened={opened.act === "remove"} onClose={close} />}
      <Dialog title="Secret of the webhook" opened={opened?.act === "secret"} onClose={close}>
        {opened && <WebhookSecret id={group.record.id} channel={opened.channel} onClose={close} />}
      </Dialog>
    </Section>
  );
}

const LEAD =
  "Addresses besides its members: a mailbox of a team, or a webhook. Each receiver confirms the address before anything else is sent there.";

const COLUMNS: readonly Column<GroupChannel>[] = [
  { key: "target", title: "Address", main: true, cell: ({ target }) => <span className="mono">{target}</span> },
  { key: "type", title: "Kind", cell: ({ type }) => CHANNEL_TYPES[type] },
  { key: "state", title: "State", cell: ({ state }) => <Word of={CHANNEL_STATES} value={state} plain /> },
  { key: "requested", title: "Link sent", cell: ({ requestedAt }) => <Ago at={requestedAt} none="–" /> },
];

function Acts(props: { id: string; channel: GroupChannel; onOpen: (act: "remove" | "secret") => void }) {
  const { id, channel, onOpen } = props;
  const unconfirmed = channel.state === "expired" || channel.state === "requested";
  return (
    <div className="row">
      {unconfirmed && <SendLink send={() => requestConfirmation(id, channel.target)} refreshes={GROUPS} />}
      {channel.type === "webhook" && (
        <Button size="xs" variant="default" onClick={() => onOpen("secret")}>
          Secret
        </Button>
      )}
      <Button size="xs" variant="default" onClick={() => onOpen("remove")}>
        Remove
      </Button>
    </div>
  );
}

interface RemoveProps {
  group: Versioned<Group>;
  channel: GroupChannel;
  opened: boolean;
  onClose: () => void;
}

function Remove({ group, channel, opened, onClose }: RemoveProps) {
  const { record, save } = useGroupEdit(group, onClose);
  const rest = record.channels.filter((each) => keyOf(each) !== keyOf(channel));
  return (
    <Confirm
      title="Remove this channel?"
      opened={opened}
      onClose={onClose}
      action="Remove channel"
      problem={renderProblem}
      onConfirm={() => save({ channels: rest })}
    >
      <p>
        Nothing more is paged to <span className="mono">{channel.target}</span> for this group.
      </p>
    </Confirm>
  );
}

function NoChannels({ action }: { action: React.ReactNode }) {
  return (
    <Empty title="The group has no channel." action={action}>
      Pages go to people: who is on duty, or all members.
    </Empty>
  );
}

/** What members see of them. */
function Named({ group: { channels, unconfirmedChannels } }: { group: Group }) {
  const unconfirmed = new Set(unconfirmedChannels.map(keyOf));
  const rows = channels.map((channel) => ({ ...channel, confirmed: !unconfirmed.has(keyOf(channel)) }));
  return (
    <Section title="Channels" lead={LEAD}>
      <Table
        label="Channels"
        rows={rows}
        rowKey={keyOf}
        empty={<NoChannels action={undefined} />}
        columns={[
          { key: "target", title: "Address", main: true, cell: ({ target }) => <span className="mono">{target}</span> },
          { key: "type", title: "Kind", cell: ({ type }) => CHANNEL_TYPES[type] },
          {
            key: "state",
            title: "State",
            cell: ({ confirmed }) => <Word of={CHANNEL_STATES} value={confirmed ? "confirmed" : "requested"} plain />,
          },
        ]}
      />
    </Section>
  );
}

function keyOf({ type, target }: Pick<GroupChannel, "type" | "target">): string {
  return `${type} ${target}`;
}
