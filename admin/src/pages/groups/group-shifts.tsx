import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
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

/** More than a group can have. */
const MOST_OF_GROUP = 200;
/** Enough to choose from; the others are searched. */
const MOST_CHOICES = 50;
const TYPING_MS = 300;

/** The shifts that a step "who is on duty" means. */
export function GroupShifts({ group }: { group: Group }) {
  const query = useQuery(shiftsQuery({ groupId: group.id, limit: MOST_OF_GROUP }));
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
              rows={items}
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
            {may && <PutOn group={group} />}
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

/** The shifts that are not on the group, found by a part of their name where there are many. */
function useOtherShifts(group: Group) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), TYPING_MS);
  const { data } = useQuery(shiftsQuery({ ...(q === "" ? {} : { q }), limit: MOST_CHOICES }));
  const shifts = data?.items.filter(({ id }) => !group.shiftIds.includes(id));
  return { text, setText, shifts, searchable: text !== "" || (data?.total ?? 0) > MOST_CHOICES };
}

function PutOn({ group }: { group: Group }) {
  const { text, setText, shifts, searchable } = useOtherShifts(group);
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
  if (shifts === undefined) return null;
  if (shifts.length === 0 && !searchable)
    return (
      <p className="soft">
        There is no other shift. <a href="/shifts">Create one</a>, then put it on this group.
      </p>
    );
  return (
    <div className="stack">
      <div className="row">
        {searchable && (
          <TextInput
            type="search"
            aria-label="Search shifts"
            placeholder="Search shifts"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setId("");
            }}
          />
        )}
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
