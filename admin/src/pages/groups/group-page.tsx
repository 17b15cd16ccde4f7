import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Versioned } from "../../api/client.ts";
import { GROUP_TESTS, groupTestsQuery, type Notify, testGroup } from "../../api/people/group-channels.ts";
import { deleteGroup, GROUPS, type Group, groupQuery } from "../../api/people/groups.ts";
import { coverageQuery } from "../../api/people/on-call.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { useAct } from "../../parts/act/use-act.tsx";
import { Actor } from "../../parts/actor.tsx";
import { TestMessageTable } from "../../parts/channels/test-message-table.tsx";
import { PeopleField } from "../../parts/form/choices-field.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { RecordPage } from "../../parts/record-page.tsx";
import { useMay } from "../../parts/session.ts";
import { usePathParams } from "../../parts/use-params.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, Empty, Facts, Notice, Opens, Panel, Section, Time, useOpens } from "../../ui/ui.ts";
import { ALWAYS_PAGES, afterText, NOTIFY } from "../../words/on-call.ts";
import { Channels } from "./channels.tsx";
import { EscalationForm } from "./escalation-form.tsx";
import { GroupShifts } from "./group-shifts.tsx";
import { useGroupEdit } from "./use-group-edit.ts";
import "./group.css";

interface OpenedGroup {
  opened: Versioned<Group>;
  onClose: () => void;
}

/** A group: its members, whom it pages and when, and whether messages arrive. */
export default function GroupPage() {
  const { id } = usePathParams<"id">();
  const mayChange = useMay("updateGroup");
  return (
    <RecordPage
      query={useQuery(groupQuery(id))}
      back={{ href: "/groups", label: "Groups" }}
      kind="Group"
      title={({ record }) => record.name}
      actions={(group) => mayChange && <Actions group={group} />}
    >
      {(group) => (
        <>
          <Facts framed facts={factsOf(group.record)} />
          <Escalation group={group} />
          <GroupShifts group={group.record} />
          <Members group={group} />
          <Channels group={group} />
          {mayChange && <TestMessages group={group.record} />}
        </>
      )}
    </RecordPage>
  );
}

function factsOf({ id, description, updatedAt }: Group) {
  return {
    Description: description,
    Devices: <a href={`/devices?groupId=${id}`}>the devices of this group</a>,
    Changed: <Time at={updatedAt} />,
    "Group id": <span className="mono">{id}</span>,
  };
}

function Actions({ group }: { group: Versioned<Group> }) {
  const { id, name } = group.record;
  return (
    <>
      <Asks
        label="Delete"
        title={`Delete ${name}?`}
        action="Delete group"
        typed={name}
        run={() => deleteGroup(id)}
        done={`Group ${name} is deleted.`}
        leads="/groups"
        refreshes={[GROUPS]}
      >
        <p>
          Its channels and escalation are gone with it; its shifts stay, and its tickets stay without a group. A group
          that devices are in, or that an open claim names, cannot be deleted.
        </p>
      </Asks>
      <Opens label="Rename" title={`Rename ${name}`}>
        {(close) => <Rename opened={group} onClose={close} />}
      </Opens>
    </>
  );
}

function Rename({ opened, onClose }: OpenedGroup) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const naming = ({ name, description }: Group) => ({ name, description });
  const [form, field] = useFields(naming(record), "updateGroup");
  const conflict = { load: async () => naming(await load()), labels: { name: "Name", description: "Description" } };
  return (
    <Form form={form} onSubmit={save} action="Save" onCancel={onClose} conflict={conflict}>
      <TextInput label="Name" placeholder="Pump hall" data-autofocus {...field("name")} />
      <Textarea label="Description" rows={3} {...field("description")} />
    </Form>
  );
}

/** The people whom the group pages about an unacknowledged anomaly, and the times. */
function Escalation({ group }: { group: Versioned<Group> }) {
  const may = useMay("updateGroup");
  const { escalation, id, name, pagesLostRenewals, alwaysPages } = group.record;
  const isNone = escalation.length === 0;
  const [change, dialog] = useOpens({
    label: isNone ? "Add an escalation" : "Change escalation",
    title: `Escalation of ${name}`,
    children: (close) => <EscalationForm opened={group} onClose={close} />,
  });
  return (
    <Section
      title="Who is paged"
      lead={`Of each anomaly that opens on a device of the group, until a user acknowledges it. Lost renewals of certificates are ${pagesLostRenewals ? "paged as well" : "not paged"}.`}
      actions={may && !isNone && change}
    >
      {isNone && (
        <Empty title="This group sends no pages." action={may && change}>
          It has no escalation: its members see anomalies only in the app.
        </Empty>
      )}
      {!isNone && (
        <>
          <Uncovered id={id} />
          <Panel tight>
            <ol className="group-steps">
              {escalation.map(({ afterMinutes, notify }) => (
                <li key={afterMinutes}>
                  <strong>{afterText(afterMinutes)}</strong>: {NOTIFY[notify]}
                </li>
              ))}
            </ol>
            <p className="soft group-always">{ALWAYS_PAGES[alwaysPages]}.</p>
          </Panel>
        </>
      )}
      {dialog}
    </Section>
  );
}

function Uncovered({ id }: { id: string }) {
  const found = useQuery(coverageQuery).data?.items.find(({ groupId }) => groupId === id);
  if (!found) return null;
  return (
    <Notice tone="bad" title={`${found.hours.toLocaleString()} h of the next seven days are uncovered`}>
      <p>
        An anomaly that opens then pages no user and no channel. <a href={`/shifts?group=${id}`}>Show the week</a>
      </p>
    </Notice>
  );
}

function Members({ group }: { group: Versioned<Group> }) {
  const may = useMay("updateGroup");
  const { memberUserIds, name } = group.record;
  const isNone = memberUserIds.length === 0;
  const [change, dialog] = useOpens({
    label: isNone ? "Add members" : "Change members",
    title: `Members of ${name}`,
    children: (close) => <ChangeMembers opened={group} onClose={close} />,
  });
  return (
    <Section
      title="Members"
      lead="Operators and viewers see the devices of the groups they are members of; administrators see all devices."
      actions={may && !isNone && change}
    >
      {isNone && (
        <Empty title="The group has no member." action={may && change}>
          Only administrators see its devices.
        </Empty>
      )}
      {!isNone && (
        <Panel tight>
          <ul className="group-members list">
            {memberUserIds.map((id) => (
              <li key={id}>
                <Actor of={`user:${id}`} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {dialog}
    </Section>
  );
}

function ChangeMembers({ opened, onClose }: OpenedGroup) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const [form, field] = useFields({ memberUserIds: record.memberUserIds });
  const conflict = {
    load: async () => ({ memberUserIds: (await load()).memberUserIds }),
    labels: { memberUserIds: "Members" },
    show: (_: unknown, ids: unknown) => `${(ids as string[]).length} members`,
  };
  return (
    <Form form={form} onSubmit={save} action="Save" onCancel={onClose} conflict={conflict}>
      <PeopleField
        label="Members"
        description="Who is taken out sees the devices of the group no more, and is not paged as a member."
        {...field("memberUserIds")}
      />
    </Form>
  );
}

const RECEIVERS = Object.entries(NOTIFY).map(([value, label]) => ({ value, label: `To ${label}` }));

/** Tests whether messages of the group arrive, by the route that pages take. */
function TestMessages({ group: { id, escalation } }: { group: Group }) {
  const [notify, setNotify] = useState<Notify>(escalation[0]?.notify ?? "members");
  const { act, busy, problem } = useAct();
  const refresh = useRefresh();
  const send = () => act(() => testGroup(id, notify).then(() => refresh(GROUP_TESTS)));
  return (
    <Section
      title="Test messages"
      lead="A message that says it is a test, by the way that pages take. At most one test a minute."
      actions={
        <>
          <NativeSelect
            aria-label="Receivers of the test"
            data={RECEIVERS}
            value={notify}
            onChange={(event) => setNotify(event.currentTarget.value as Notify)}
          />
          <Action label="Send a test message" loading={busy} onClick={() => void send()} />
        </>
      }
    >
      {problem}
      <Loaded query={useQuery(groupTestsQuery(id))}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">No test message was sent lately.</p>
          ) : (
            <TestMessageTable items={items} />
          )
        }
      </Loaded>
    </Section>
  );
}
