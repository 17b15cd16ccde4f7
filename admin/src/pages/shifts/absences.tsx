import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/duties.ts";
import type { Group } from "../../api/people/groups.ts";
import {
  type Absence,
  absencesQuery,
  createAbsence,
  endAbsence,
  endOwnAbsence,
  ownAbsencesQuery,
} from "../../api/people/on-call.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { instantOf, localMinute } from "../../parts/filter-values.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { unitText } from "../../texts/number-text.ts";
import { type Column, Empty, Section, Status, Table, Time, useOpens } from "../../ui/ui.ts";
import { needed, OF_DUTIES, usePeople } from "./override-form.tsx";

const DAY_MS = 86_400_000;

const TIMES: readonly Column<Absence>[] = [
  { title: t.begins, cell: ({ startsAt }) => <Time at={startsAt} /> },
  { title: t.ends, cell: ({ endsAt }) => <Time at={endsAt} /> },
  { title: t.note, cell: ({ note }) => note },
];
const GROUP_COLUMNS: readonly Column<Absence>[] = [
  { title: t.person, main: true, cell: ({ userId }) => <Actor of={`user:${userId}`} /> },
  ...TIMES,
  { title: t.cover, cell: (absence) => <Cover absence={absence} /> },
];
const OWN_COLUMNS: readonly Column<Absence>[] = [
  { ...TIMES[0]!, main: true },
  ...TIMES.slice(1),
  { title: t.cover, cell: (absence) => <Cover absence={absence} named /> },
  { title: common.actions, cell: (absence) => <End absence={absence} send={endOwnAbsence} text={t.backText} /> },
];

/** The hours that an absence leaves without anybody on duty: in each group, or in the only one that is listed. */
function Cover({ absence: { uncovered }, named = false }: { absence: Absence; named?: boolean }) {
  if (uncovered.length === 0) return <Status plain of={["good", t.covered]} />;
  return (
    <ul className="list">
      {uncovered.map(({ groupId, groupName, hours, startsAt }) => (
        <li key={groupId}>
          {named && (
            <>
              <a href={`/groups/${groupId}`}>{groupName}</a>:{" "}
            </>
          )}
          <Status plain of={["bad", unitText(hours, "hour")]} />, {t.firstAt(<Time at={startsAt} />)}
        </li>
      ))}
    </ul>
  );
}

/** The absences of the people of a group, present and planned. */
export function GroupAbsences({ group: { id } }: { group: Group }) {
  const may = useMay("createAbsence");
  const [button, dialog] = useOpens({
    label: t.absence,
    title: t.absence,
    children: (close) => <AbsenceForm others onClose={close} />,
  });
  const columns = may
    ? [
        ...GROUP_COLUMNS,
        {
          title: common.actions,
          cell: (absence: Absence) => <End absence={absence} send={endAbsence} text={t.backOfOtherText} />,
        },
      ]
    : GROUP_COLUMNS;
  return (
    <Section title={t.absences} lead={t.absencesLead} actions={may && button}>
      <Records
        label={t.absences}
        query={useQuery(absencesQuery(id))}
        columns={columns}
        empty={<Empty title={t.noAbsence} />}
      />
      {dialog}
    </Section>
  );
}

/** The button that records one's own absence, the dialog behind it, and the list of one's absences. */
export function useOwnAbsences(): { button: ReactNode; dialog: ReactNode; list: ReactNode } {
  const { data } = useQuery(ownAbsencesQuery);
  const [button, dialog] = useOpens({
    label: t.iAmAbsent,
    title: t.iAmAbsent,
    children: (close) => <AbsenceForm onClose={close} />,
  });
  const list = data && data.items.length > 0 && (
    <>
      <h3>{t.myAbsences}</h3>
      <Table label={t.myAbsences} rows={data.items} columns={OWN_COLUMNS} />
    </>
  );
  return { button, dialog, list };
}

function AbsenceForm({ others = false, onClose }: { others?: boolean; onClose: () => void }) {
  const [form, field] = useFields(
    { userId: "", startsAt: "", endsAt: localMinute(Date.now() + DAY_MS), note: "" },
    others ? "createAbsence" : "createOwnAbsence",
    {
      userId: (id) => (others && id === "" ? t.choosePerson : null),
      startsAt: () => null,
      endsAt: needed,
      note: () => null,
    },
  );
  const people = usePeople("");
  return (
    <Form
      form={form}
      onSubmit={({ userId, startsAt, endsAt, note }) =>
        createAbsence(others ? userId : undefined, {
          startsAt: instantOf(startsAt) ?? null,
          endsAt: instantOf(endsAt)!,
          note: note.trim() || null,
        })
      }
      action={t.absenceAction}
      onCancel={onClose}
      onDone={onClose}
      done={({ uncovered }) =>
        uncovered.length === 0 ? t.isAbsent : t.leavesGaps(uncovered.map((each) => each.groupName))
      }
      refreshes={OF_DUTIES}
    >
      <p>{t.absenceText}</p>
      {others && <NativeSelect label={t.person} data={people} data-autofocus {...field("userId")} />}
      <TextInput type="datetime-local" label={t.begins} description={t.emptyIsNow} {...field("startsAt")} />
      <TextInput type="datetime-local" label={t.ends} {...field("endsAt")} />
      <TextInput label={t.note} description={t.noteText} maxLength={200} {...field("note")} />
    </Form>
  );
}

interface EndProps {
  absence: Absence;
  send: (id: string) => Promise<unknown>;
  text: string;
}

function End({ absence: { id }, send, text }: EndProps) {
  return (
    <Asks
      small
      harmless
      label={t.end}
      title={t.endAbsence}
      action={t.end}
      run={() => send(id)}
      done={t.absenceEnded}
      refreshes={OF_DUTIES}
    >
      <p>{text}</p>
    </Asks>
  );
}
