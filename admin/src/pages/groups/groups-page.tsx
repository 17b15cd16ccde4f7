import { Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { createGroup, GROUPS, type Group, groupsQuery } from "../../api/people/groups.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { type Column, Empty, type Filter, Page, plural, Status, useOpens } from "../../ui/ui.ts";
import { afterText, NOTIFY } from "../../words/on-call.ts";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: "Name", placeholder: "a part of it", maxLength: 200 },
];
const COLUMNS: readonly Column<Group>[] = [
  { title: "Name", main: true, cell: ({ name }) => name },
  { title: "Members", cell: ({ memberUserIds }) => plural(memberUserIds.length, "member") },
  { title: "Pages", cell: ({ escalation }) => <FirstStep escalation={escalation} /> },
  { title: "Shifts", cell: ({ shiftIds }) => plural(shiftIds.length, "shift") },
  { title: "Channels", cell: (group) => <Channels group={group} /> },
];

/** The groups, which decide who sees which devices and who is paged about them. */
export default function GroupsPage() {
  const list = useListState();
  const { q } = list.values;
  const { role } = useSession().user;
  const [button, dialog] = useOpens({
    main: true,
    label: "Create group",
    title: "Create a group",
    children: (close) => <CreateGroup onClose={close} />,
  });
  const create = useMay("createGroup") && button;
  const empty =
    role === "admin" ? (
      <Empty title="There is no group yet." action={create}>
        Operators and viewers see no device, and no pages are sent, before there is a group with members, devices and an
        escalation.
      </Empty>
    ) : (
      <Empty title="You are in no group yet.">
        You see the devices of your groups, so you see none until an administrator adds you to one.
      </Empty>
    );
  return (
    <Page
      title="Groups"
      lead="A group decides who sees its devices, and who is paged when an anomaly opens on one of them."
      actions={create}
    >
      <Records
        label="Groups"
        of="group"
        list={list}
        filters={FILTERS}
        query={useQuery(groupsQuery(q, list.skip))}
        columns={COLUMNS}
        href={({ id }) => `/groups/${id}`}
        csv={[GROUPS, { q }]}
        empty={empty}
      />
      {dialog}
    </Page>
  );
}

function CreateGroup({ onClose }: { onClose: () => void }) {
  const [form, field] = useFields({ name: "", description: "" }, "createGroup");
  return (
    <Form
      form={form}
      onSubmit={createGroup}
      action="Create group"
      onCancel={onClose}
      leads={({ id }) => `/groups/${id}`}
      refreshes={[GROUPS]}
    >
      <TextInput label="Name" placeholder="Pump hall" data-autofocus {...field("name")} />
      <Textarea label="Description" rows={3} {...field("description")} />
    </Form>
  );
}

function FirstStep({ escalation }: Pick<Group, "escalation">) {
  const [first, ...more] = escalation;
  if (!first) return <span className="soft">never: it has no escalation</span>;
  const steps = more.length > 0 ? `, ${plural(more.length, "further step")}` : "";
  return `${afterText(first.afterMinutes)}: ${NOTIFY[first.notify]}${steps}`;
}

function Channels({ group: { channels, unconfirmedChannels } }: { group: Group }) {
  if (channels.length === 0) return <span className="soft">none</span>;
  if (unconfirmedChannels.length === 0) return plural(channels.length, "channel");
  return <Status plain of={["warn", `${unconfirmedChannels.length} of ${channels.length} not confirmed`]} />;
}
