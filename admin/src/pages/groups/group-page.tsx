import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
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
import { unitText } from "../../texts/number-text.ts";
import { Action, Empty, Facts, Notice, Opens, Panel, Section, Time, useOpens } from "../../ui/ui.ts";
import { ALWAYS_PAGES, afterText, NOTIFY } from "../../words/on-call.ts";
import { MaintenanceNotice } from "../maintenance/maintenance-notice.tsx";
import { Channels } from "./channels.tsx";
import { EscalationForm } from "./escalation-form.tsx";
import { GroupDevices } from "./group-devices.tsx";
import { GroupShifts } from "./group-shifts.tsx";
import { useGroupEdit } from "./use-group-edit.ts";
import "./group.css";

const GroupDuties = lazy(() => import("../shifts/group-duties.tsx"));

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
      back={{ href: "/groups", label: common.groups }}
      kind={common.group}
      title={({ record }) => record.name}
      actions={(group) => mayChange && <Actions group={group} />}
    >
      {(group) => (
        <>
          <MaintenanceNotice groupId={group.record.id} />
          <Facts framed facts={factsOf(group.record)} />
          <Escalation group={group} />
          <GroupShifts group={group.record} />
          <Suspense>
            <GroupDuties group={group.record} />
          </Suspense>
          <Members group={group} />
          <GroupDevices group={group.record} />
          <Channels group={group} />
          {mayChange && <TestMessages group={group.record} />}
        </>
      )}
    </RecordPage>
  );
}

function factsOf({ id, description, updatedAt }: Group) {
  return {
    [common.description]: description,
    [common.changed]: <Time at={updatedAt} />,
    [t.groupId]: <span className="mono">{id}</span>,
  };
}

function Actions({ group }: { group: Versioned<Group> }) {
  const { id, name } = group.record;
  return (
    <>
      <Asks
        label={common.delete}
        title={t.delete(name)}
        action={t.deleteGroup}
        typed={name}
        run={() => deleteGroup(id)}
        done={t.groupIsDeleted(name)}
        leads="/groups"
        refreshes={[GROUPS]}
      >
        <p>{t.itsChannelsAndEscalationAre}</p>
      </Asks>
      <Opens label={t.rename} title={t.rename2(name)}>
        {(close) => <Rename opened={group} onClose={close} />}
      </Opens>
    </>
  );
}

function Rename({ opened, onClose }: OpenedGroup) {
  const { record, load, save } = useGroupEdit(opened, onClose);
  const naming = ({ name, description }: Group) => ({ name, description });
  const [form, field] = useFields(naming(record), "updateGroup");
  const conflict = {
    load: async () => naming(await load()),
    labels: { name: common.name, description: common.description },
  };
  return (
    <Form form={form} onSubmit={save} action={common.save} onCancel={onClose} conflict={conflict}>
      <TextInput label={common.name} placeholder={t.pumpHall} data-autofocus {...field("name")} />
      <Textarea label={common.description} rows={3} {...field("description")} />
    </Form>
  );
}

/** The people whom the group pages about an unacknowledged anomaly, and the times. */
function Escalation({ group }: { group: Versioned<Group> }) {
  const may = useMay("updateGroup");
  const { escalation, id, name, pagesLostRenewals, alwaysPages } = group.record;
  const isNone = escalation.length === 0;
  const [change, dialog] = useOpens({
    label: isNone ? t.addAnEscalation : t.changeEscalation,
    title: t.escalationOf(name),
    children: (close) => <EscalationForm opened={group} onClose={close} />,
  });
  return (
    <Section
      title={t.whoIsPaged}
      lead={t.ofEachAnomalyThatOpens(pagesLostRenewals ? t.pagedAsWell : t.notPaged)}
      actions={<EscalationActions id={id} change={may && !isNone && change} />}
    >
      {isNone && (
        <Empty title={t.thisGroupSendsNoPages} action={may && change}>
          {t.itHasNoEscalationIts}
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

function EscalationActions({ id, change }: { id: string; change: ReactNode }) {
  const mayReplay = useMay("replayPaging");
  return (
    <>
      {mayReplay && <Action label={t.replayPages} href={`/groups/${id}/replay`} />}
      {change}
    </>
  );
}

function Uncovered({ id }: { id: string }) {
  const found = useQuery(coverageQuery).data?.items.find(({ groupId }) => groupId === id);
  if (!found) return null;
  return (
    <Notice tone="bad" title={t.hOfTheNextSeven(unitText(found.hours, "hour"))}>
      <p>{t.anAnomalyThatOpensThen(<a href={`/shifts?group=${id}`}>{t.showTheWeek}</a>)}</p>
    </Notice>
  );
}

function Members({ group }: { group: Versioned<Group> }) {
  const may = useMay("updateGroup");
  const { memberUserIds, name } = group.record;
  const isNone = memberUserIds.length === 0;
  const [change, dialog] = useOpens({
    label: isNone ? t.addMembers : t.changeMembers,
    title: t.membersOf(name),
    children: (close) => <ChangeMembers opened={group} onClose={close} />,
  });
  return (
    <Section title={t.members} lead={t.operatorsAndViewersSeeThe} actions={may && !isNone && change}>
      {isNone && (
        <Empty title={t.theGroupHasNoMember} action={may && change}>
          {t.onlyAdministratorsSeeItsDevices}
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
    labels: { memberUserIds: t.members },
    show: (_: unknown, ids: unknown) => t.members2((ids as string[]).length),
  };
  return (
    <Form form={form} onSubmit={save} action={common.save} onCancel={onClose} conflict={conflict}>
      <PeopleField label={t.members} description={t.whoIsTakenOutSees} {...field("memberUserIds")} />
    </Form>
  );
}

const RECEIVERS = Object.entries(NOTIFY).map(([value, label]) => ({ value, label: t.to(label) }));

/** Tests whether messages of the group arrive, by the route that pages take. */
function TestMessages({ group: { id, escalation } }: { group: Group }) {
  const [notify, setNotify] = useState<Notify>(escalation[0]?.notify ?? "members");
  const { act, busy, problem } = useAct();
  const refresh = useRefresh();
  const send = () => act(() => testGroup(id, notify).then(() => refresh(GROUP_TESTS)));
  return (
    <Section
      title={t.testMessages}
      lead={t.aMessageThatSaysIt}
      actions={
        <>
          <NativeSelect
            aria-label={t.receiversOfTheTest}
            data={RECEIVERS}
            value={notify}
            onChange={(event) => setNotify(event.currentTarget.value as Notify)}
          />
          <Action label={t.sendATestMessage} loading={busy} onClick={() => void send()} />
        </>
      }
    >
      {problem}
      <Loaded query={useQuery(groupTestsQuery(id))}>
        {({ items }) =>
          items.length === 0 ? <p className="soft">{t.noTestMessageWasSent}</p> : <TestMessageTable items={items} />
        }
      </Loaded>
    </Section>
  );
}
