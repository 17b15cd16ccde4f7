import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import { assignShift, type Group, unassignShift } from "../../api/people/groups.ts";
import { type Shift, shiftsQuery } from "../../api/people/shifts.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { useAct } from "../../parts/act/use-act.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, type Column, Empty, Section } from "../../ui/ui.ts";
import { OF_SHIFTS, OnDuty, People, shiftTimes } from "../shifts/shift-times.tsx";

/** More shifts than a group can have. */
const MOST_OF_GROUP = 200;
/** Enough to choose from; further shifts are searched. */
const MOST_CHOICES = 50;
const TYPING_MS = 300;

/** The shifts that a step "who is on duty" means. */
export function GroupShifts({ group }: { group: Group }) {
  const may = useMay("assignShift");
  const columns = may
    ? [...COLUMNS, { title: common.actions, cell: (shift: Shift) => <TakeOff group={group} shift={shift} /> }]
    : COLUMNS;
  const lead = <>{t.whoIsOnDutyWhen(<a href={`/shifts?group=${group.id}`}>{t.showTheWeekOfThis}</a>)}</>;
  return (
    <Section title={common.shifts} lead={lead}>
      <Records
        label={t.shiftsOfTheGroup}
        query={useQuery(shiftsQuery({ groupId: group.id, limit: MOST_OF_GROUP }))}
        href={({ id }) => `/shifts?shift=${id}`}
        empty={<Empty title={t.noShiftIsOnThis} />}
        columns={columns}
      />
      {may && <PutOn group={group} />}
    </Section>
  );
}

const COLUMNS: readonly Column<Shift>[] = [
  { title: t.shift, main: true, cell: ({ name }) => name },
  { title: t.onDuty, cell: shiftTimes },
  { title: t.people, cell: ({ userIds }) => <People ids={userIds} /> },
  { title: common.now, cell: (shift) => <OnDuty shift={shift} /> },
];

function TakeOff({ group, shift }: { group: Group; shift: Shift }) {
  return (
    <Asks
      small
      label={t.takeOff}
      title={t.takeOff2(shift.name, group.name)}
      action={t.takeItOff}
      run={() => unassignShift(group.id, shift.id)}
      done={t.theShiftIsOffThe}
      refreshes={OF_SHIFTS}
    >
      <p>{t.theUsersOfThisShift}</p>
    </Asks>
  );
}

/** Returns the other shifts, found by a part of their name if there are many. */
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
  const { act, problem } = useAct();
  const refresh = useRefresh();
  const put = () =>
    act(async () => {
      await assignShift(group.id, id);
      setId("");
      await refresh(...OF_SHIFTS);
    });
  if (shifts === undefined) return null;
  if (shifts.length === 0 && !searchable)
    return <p className="soft">{t.thereIsNoOtherShift(<a href="/shifts">{t.createOne}</a>)}</p>;
  return (
    <div className="stack">
      <div className="row">
        {searchable && (
          <TextInput
            type="search"
            aria-label={t.searchShifts}
            placeholder={t.searchShifts}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setId("");
            }}
          />
        )}
        <NativeSelect
          aria-label={t.shiftToPutOnThis}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          data={[
            { value: "", label: t.chooseAShift },
            ...shifts.map((shift) => ({ value: shift.id, label: `${shift.name}: ${shiftTimes(shift)}` })),
          ]}
        />
        <Action label={t.putItOnTheGroup} disabled={id === ""} onClick={() => void put()} />
      </div>
      {problem}
    </div>
  );
}
