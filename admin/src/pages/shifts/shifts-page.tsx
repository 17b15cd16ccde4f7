import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createShift, SHIFTS, type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { Actor } from "../../parts/actor.tsx";
import { DownloadCsv } from "../../parts/download-csv.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useUrlState } from "../../parts/url-state.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { plural } from "../../ui/display/format.ts";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Page, Section } from "../../ui/page/page.tsx";
import { GroupWeek } from "./group-week.tsx";
import { ShiftDialog } from "./shift-dialog.tsx";
import { ShiftForm } from "./shift-form.tsx";
import { OnDuty, shiftTimes } from "./shift-times.tsx";
import { useShiftsChanged } from "./use-shifts-changed.ts";

/** Who is on duty when, and the hours of the next seven days that are uncovered. */
export default function ShiftsPage() {
  const [values, change] = useUrlState();
  const skip = Number(values.skip ?? 0) || 0;
  const query = useQuery(shiftsQuery({ skip }));
  const [creating, setCreating] = useState(false);
  const may = useMay("createShift");
  const changed = useShiftsChanged();
  const create = <Button onClick={() => setCreating(true)}>Create shift</Button>;
  const close = () => setCreating(false);
  return (
    <Page
      title="Shifts"
      lead="A shift says who is on duty, in the wall time of its own zone. A group pages who is on duty on its shifts."
      actions={may && create}
    >
      <GroupWeek values={values} onChange={change} />
      <Section title="All shifts">
        <Loaded query={query} loading={<Table label="Shifts" columns={COLUMNS} rows={undefined} rowKey={idOf} />}>
          {(page) => (
            <>
              <Table
                label="Shifts"
                columns={COLUMNS}
                rows={page.items}
                rowKey={idOf}
                href={({ id }) => `/shifts?${new URLSearchParams({ ...set(values), shift: id })}`}
                empty={
                  <Empty title="There is no shift yet." action={may && create}>
                    Create one, then put it on a group.
                  </Empty>
                }
              />
              <Pager page={page} of="shift" onSkip={(next) => change({ skip: next > 0 ? String(next) : undefined })}>
                <DownloadCsv list={SHIFTS} query={{}} total={page.total} />
              </Pager>
            </>
          )}
        </Loaded>
      </Section>
      <Dialog title="Create a shift" opened={creating} onClose={close}>
        <ShiftForm
          operation="createShift"
          action="Create shift"
          onCancel={close}
          onSubmit={async (fields) => {
            const { name } = await createShift(fields);
            close();
            await changed(`Shift ${name} is created. Put it on a group to have it paged.`);
          }}
        />
      </Dialog>
      {values.shift && <ShiftDialog id={values.shift} onClose={() => change({ shift: undefined })} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Shift>[] = [
  { key: "name", title: "Shift", main: true, cell: ({ name }) => name },
  { key: "times", title: "On duty", cell: shiftTimes },
  { key: "people", title: "People", cell: ({ userIds }) => <People ids={userIds} /> },
  { key: "groups", title: "Groups", cell: ({ groupIds }) => <GroupNames ids={groupIds} none="on no group" /> },
  { key: "now", title: "Now", cell: (shift) => <OnDuty shift={shift} /> },
];

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

/** The parameters that have a value. */
function set(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

function idOf({ id }: Shift): string {
  return id;
}
