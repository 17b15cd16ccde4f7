import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/shifts.ts";
import { createShift, SHIFTS, type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { filled } from "../../api/queries.ts";
import { GroupNames } from "../../parts/group-names.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { type Column, Empty, Page, Section, useOpens } from "../../ui/ui.ts";
import { GroupWeek } from "./group-week.tsx";
import { OwnDuties } from "./own-duties.tsx";
import { ShiftDialog, ShiftForm } from "./shift-dialog.tsx";
import { OnDuty, People, shiftTimes } from "./shift-times.tsx";
import "./week.css";

const COLUMNS: readonly Column<Shift>[] = [
  { title: t.shift, main: true, cell: ({ name }) => name },
  { title: t.onDuty2, cell: shiftTimes },
  { title: t.people, cell: ({ userIds }) => <People ids={userIds} /> },
  { title: common.groups, cell: ({ groupIds }) => <GroupNames ids={groupIds} none={t.onNoGroup} /> },
  { title: common.now, cell: (shift) => <OnDuty shift={shift} /> },
];

export default function ShiftsPage() {
  const list = useListState();
  const [values, change] = useUrlState();
  const action = t.createShift;
  const [button, dialog] = useOpens({
    main: true,
    label: action,
    title: t.createAShift,
    children: (close) => (
      <ShiftForm
        operation="createShift"
        action={action}
        onClose={close}
        onSubmit={createShift}
        done={({ name }) => t.shiftIsCreatedPutIt(name)}
      />
    ),
  });
  const create = useMay("createShift") && button;
  const hrefOf = ({ id }: Shift) =>
    `/shifts?${new URLSearchParams({ ...(filled(values) as Record<string, string>), shift: id })}`;
  return (
    <Page title={common.shifts} lead={t.aShiftSaysWhoIs} actions={create}>
      <GroupWeek values={values} onChange={change} />
      <OwnDuties />
      <Section title={t.allShifts}>
        <Records
          label={common.shifts}
          of={nouns.shift}
          list={list}
          query={useQuery(shiftsQuery({ skip: list.skip }))}
          columns={COLUMNS}
          href={hrefOf}
          csv={[SHIFTS, {}]}
          empty={
            <Empty title={t.thereIsNoShiftYet} action={create}>
              {t.createOneThenPutIt}
            </Empty>
          }
        />
      </Section>
      {dialog}
      {values.shift && <ShiftDialog id={values.shift} onClose={() => change({ shift: undefined })} />}
    </Page>
  );
}
