import { useQuery } from "@tanstack/react-query";
import { createShift, SHIFTS, type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { filled } from "../../api/queries.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import { type Column, Empty, Page, plural, Section, useOpens } from "../../ui/ui.ts";
import { GroupWeek } from "./group-week.tsx";
import { ShiftDialog, ShiftForm } from "./shift-dialog.tsx";
import { OnDuty, shiftTimes } from "./shift-times.tsx";
import "./week.css";

const COLUMNS: readonly Column<Shift>[] = [
  { title: "Shift", main: true, cell: ({ name }) => name },
  { title: "On duty", cell: shiftTimes },
  { title: "People", cell: ({ userIds }) => <People ids={userIds} /> },
  { title: "Groups", cell: ({ groupIds }) => <GroupNames ids={groupIds} none="on no group" /> },
  { title: "Now", cell: (shift) => <OnDuty shift={shift} /> },
];

export default function ShiftsPage() {
  const list = useListState();
  const [values, change] = useUrlState();
  const action = "Create shift";
  const [button, dialog] = useOpens({
    main: true,
    label: action,
    title: "Create a shift",
    children: (close) => (
      <ShiftForm
        operation="createShift"
        action={action}
        onClose={close}
        onSubmit={createShift}
        done={({ name }) => `Shift ${name} is created. Put it on a group to have it paged.`}
      />
    ),
  });
  const create = useMay("createShift") && button;
  const hrefOf = ({ id }: Shift) =>
    `/shifts?${new URLSearchParams({ ...(filled(values) as Record<string, string>), shift: id })}`;
  return (
    <Page
      title="Shifts"
      lead="A shift says who is on duty, in the wall time of its own zone. A group pages who is on duty on its shifts."
      actions={create}
    >
      <GroupWeek values={values} onChange={change} />
      <Section title="All shifts">
        <Records
          label="Shifts"
          of="shift"
          list={list}
          query={useQuery(shiftsQuery({ skip: list.skip }))}
          columns={COLUMNS}
          href={hrefOf}
          csv={[SHIFTS, {}]}
          empty={
            <Empty title="There is no shift yet." action={create}>
              Create one, then put it on a group.
            </Empty>
          }
        />
      </Section>
      {dialog}
      {values.shift && <ShiftDialog id={values.shift} onClose={() => change({ shift: undefined })} />}
    </Page>
  );
}

const SHOWN = 2;

function People({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return <span className="soft">none</span>;
  if (ids.length > SHOWN) return plural(ids.length, "person", "people");
  return ids.map((id, at) => (
    <span key={id}>
      {at > 0 && ", "}
      <Actor of={`user:${id}`} />
    </span>
  ));
}
