import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { assignShift, GROUPS, type Group, unassignShift } from "../../api/people/groups.ts";
import { COVERAGE } from "../../api/people/on-call.ts";
import { SHIFTS, type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Section } from "../../ui/page/page.tsx";
import { OnDuty, shiftTimes } from "../shifts/shift-times.tsx";

/** Enough to choose from; a quota bounds the shifts of a tenant. */
const MOST = 200;

/** The shifts that a step "who is on duty" means. */
export function GroupShifts({ group }: { group: Group }) {
  const query = useQuery(shiftsQuery({ limit: MOST }));
  const may = useMay("assignShift");
  const [off, setOff] = useState<Shift>();
  const refresh = useRefresh();
  return (
    <Section
      title="Shifts"
      lead={
        <>
          Who is on duty when. <a href={`/shifts?group=${group.id}`}>Show the week of this group</a>
        </>
      }
    >
      <Loaded query={query}>
        {({ items }) => (
          <>
            <Table
              label="Shifts of the group"
              rows={items.filter(({ id }) => group.shiftIds.includes(id))}
              rowKey={({ id }) => id}
              href={({ id }) => `/shifts?shift=${id}`}
              empty={<Empty title="No shift is on this group." />}
              columns={[
                { key: "name", title: "Shift", main: true, cell: ({ name }) => name },
                { key: "times", title: "On duty", cell: shiftTimes },
                { key: "now", title: "Now", cell: (shift) => <OnDuty shift={shift} /> },
                ...(may
                  ? [
                      {
                        key: "acts",
                        title: "Actions",
                        cell: (shift: Shift) => <TakeOff onClick={() => setOff(shift)} />,
                      },
                    ]
                  : []),
              ]}
            />
            {may && <PutOn group={group} shifts={items.filter(({ id }) => !group.shiftIds.includes(id))} />}
          </>
        )}
      </Loaded>
      <Confirm
        title={`Take ${off?.name ?? ""} off ${group.name}?`}
        opened={off !== undefined}
        onClose={() => setOff(undefined)}
        action="Take it off"
        problem={renderProblem}
        onConfirm={async () => {
          await unassignShift(group.id, off!.id);
          toast("The shift is off the group.");
          await refresh(GROUPS, SHIFTS, COVERAGE);
        }}
      >
        <p>The users of this shift are not paged for this group any more. The shift itself stays.</p>
      </Confirm>
    </Section>
  );
}

function TakeOff({ onClick }: { onClick: () => void }) {
  return (
    <Button size="xs" variant="default" onClick={onClick}>
      Take off
    </Button>
  );
}

function PutOn({ group, shifts }: { group: Group; shifts: readonly Shift[] }) {
  const [id, setId] = useState("");
  const [error, setError] = useState<unknown>();
  const refresh = useRefresh();
  const put = async () => {
    setError(undefined);
    try {
      await assignShift(group.id, id);
      setId("");
      await refresh(GROUPS, SHIFTS, COVERAGE);
    } catch (reason) {
      setError(reason);
    }
  };
  if (shifts.length === 0)
    return (
      <p className="soft">
        There is no other shift. <a href="/shifts">Create one</a>, then put it on this group.
      </p>
    );
  return (
    <div className="stack">
      <div className="row">
        <NativeSelect
          aria-label="Shift to put on this group"
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          data={[
            { value: "", label: "Choose a shift …" },
            ...shifts.map((shift) => ({ value: shift.id, label: `${shift.name}: ${shiftTimes(shift)}` })),
          ]}
        />
        <Button variant="default" disabled={id === ""} onClick={() => void put()}>
          Put it on the group
        </Button>
      </div>
      {error !== undefined && renderProblem(error)}
    </div>
  );
}
