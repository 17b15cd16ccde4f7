import { Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/groups.ts";
import { createGroup, GROUPS, type Group, groupsQuery } from "../../api/people/groups.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { type Column, Empty, type Filter, Page, Status, useOpens } from "../../ui/ui.ts";
import { afterText, NOTIFY } from "../../words/on-call.ts";

const FILTERS: readonly Filter[] = [
  { kind: "text", name: "q", label: common.name, placeholder: t.aPartOfIt, maxLength: 200 },
];
const COLUMNS: readonly Column<Group>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  { title: t.members, cell: ({ memberUserIds }) => nouns.member(memberUserIds.length) },
  { title: t.pages, cell: ({ escalation }) => <FirstStep escalation={escalation} /> },
  { title: common.shifts, cell: ({ shiftIds }) => nouns.shift(shiftIds.length) },
  { title: t.channels, cell: (group) => <Channels group={group} /> },
];

/** The groups, which decide who sees which devices and who is paged about them. */
export default function GroupsPage() {
  const list = useListState();
  const { q } = list.values;
  const { role } = useSession().user;
  const [button, dialog] = useOpens({
    main: true,
    label: t.createGroup,
    title: t.createAGroup,
    children: (close) => <CreateGroup onClose={close} />,
  });
  const create = useMay("createGroup") && button;
  const empty =
    role === "admin" ? (
      <Empty title={t.thereIsNoGroupYet} action={create}>
        {t.operatorsAndViewersSeeNo}
      </Empty>
    ) : (
      <Empty title={t.youAreInNoGroup}>{t.youSeeTheDevicesOf}</Empty>
    );
  return (
    <Page title={common.groups} lead={t.aGroupDecidesWhoSees} actions={create}>
      <Records
        label={common.groups}
        of={nouns.group}
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
      action={t.createGroup}
      onCancel={onClose}
      leads={({ id }) => `/groups/${id}`}
      refreshes={[GROUPS]}
    >
      <TextInput label={common.name} placeholder={t.pumpHall} data-autofocus {...field("name")} />
      <Textarea label={common.description} rows={3} {...field("description")} />
    </Form>
  );
}

function FirstStep({ escalation }: Pick<Group, "escalation">) {
  const [first, ...more] = escalation;
  if (!first) return <span className="soft">{t.neverItHasNoEscalation}</span>;
  const steps = more.length > 0 ? `, ${nouns.furtherStep(more.length)}` : "";
  return `${afterText(first.afterMinutes)}: ${NOTIFY[first.notify]}${steps}`;
}

function Channels({ group: { channels, unconfirmedChannels } }: { group: Group }) {
  if (channels.length === 0) return <span className="soft">{common.none}</span>;
  if (unconfirmedChannels.length === 0) return nouns.channel(channels.length);
  return <Status plain of={["warn", t.ofNotConfirmed(unconfirmedChannels.length, channels.length)]} />;
}
