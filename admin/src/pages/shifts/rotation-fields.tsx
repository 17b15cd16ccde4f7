import { NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { t } from "#texts/rotation.ts";
import { nameOfPerson, peopleQuery } from "../../api/people/people.ts";
import type { NewShift, Shift } from "../../api/people/shifts.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Action } from "../../ui/ui.ts";

type Rotation = NonNullable<NewShift["rotation"]>;

/** The fields of a shift that say who takes turns with whom. */
export interface RotationValues {
  rotates: "no" | "yes";
  unit: Rotation["unit"];
  every: number | string;
  startDate: string;
  handOverTime: string;
  turns: string[][];
}

/** The most users of a turn that the service takes. */
const USERS_OF_TURN = 10;

export function rotationValuesOf(shift: Pick<Shift, "rotation" | "userIds" | "startTime">): RotationValues {
  const { rotation, userIds, startTime } = shift;
  const turns = userIds.length > 1 ? userIds.map((id) => [id]) : [userIds, []];
  if (rotation) return { rotates: "yes", ...rotation, turns: rotation.turns.map((users) => [...users]) };
  const today = new Date().toISOString().slice(0, 10);
  return { rotates: "no", unit: "week", every: 1, startDate: today, handOverTime: startTime, turns };
}

/** Returns the rotation of the fields, or null if all users are on duty together. */
export function rotationOf({ rotates, every, turns, ...rest }: RotationValues): Rotation | null {
  if (rotates === "no") return null;
  return { ...rest, every: Number(every) || 1, turns: turns.filter((users) => users.length > 0) };
}

interface RotationFieldsProps {
  values: RotationValues;
  onChange: (changed: Partial<RotationValues>) => void;
}

/** Chooses how long a turn lasts, when it begins, and who has which. */
export function RotationFields({ values, onChange }: RotationFieldsProps) {
  const { unit, every, startDate, handOverTime, turns } = values;
  return (
    <>
      <div className="row">
        <NumberInput
          label={t.everyTurn}
          min={1}
          max={366}
          allowDecimal={false}
          value={every}
          onChange={(value) => onChange({ every: value })}
        />
        <NativeSelect
          label={t.unit}
          value={unit}
          data={[
            { value: "week", label: t.weeks },
            { value: "day", label: t.days },
          ]}
          onChange={(event) => onChange({ unit: event.currentTarget.value as Rotation["unit"] })}
        />
        <TextInput
          type="time"
          label={t.handOver}
          value={handOverTime}
          onChange={(event) => onChange({ handOverTime: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={t.firstTurn}
          value={startDate}
          onChange={(event) => onChange({ startDate: event.currentTarget.value })}
        />
      </div>
      <Turns turns={turns} onTurns={(changed) => onChange({ turns: changed })} />
    </>
  );
}

function Turns({ turns, onTurns }: { turns: string[][]; onTurns: (turns: string[][]) => void }) {
  const replaced = (at: number, users: string[]) => turns.map((old, each) => (each === at ? users : old));
  const moved = (at: number) => turns.with(at, turns[at - 1]!).with(at - 1, turns[at]!);
  return (
    <Loaded query={useQuery(peopleQuery())}>
      {({ items }) => {
        const choices = items.map((person) => ({ value: person.id, label: nameOfPerson(person) }));
        return (
          <fieldset className="stack-tight turns">
            <legend>{t.turns}</legend>
            {turns.map((users, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a turn has no other name than its place
              <div key={at} className="row turn">
                <TurnUsers place={at + 1} users={users} choices={choices} onUsers={(to) => onTurns(replaced(at, to))} />
                {at > 0 && <Action small label={t.earlier(at + 1)} onClick={() => onTurns(moved(at))} />}
                {turns.length > 2 && (
                  <Action small label={t.remove(at + 1)} onClick={() => onTurns(turns.toSpliced(at, 1))} />
                )}
              </div>
            ))}
            <div>
              <Action small label={t.addATurn} onClick={() => onTurns([...turns, []])} />
            </div>
          </fieldset>
        );
      }}
    </Loaded>
  );
}

interface TurnUsersProps {
  place: number;
  users: readonly string[];
  choices: readonly { value: string; label: string }[];
  onUsers: (users: string[]) => void;
}

/** The people of a turn, and an empty field for one more. */
function TurnUsers({ place, users, choices, onUsers }: TurnUsersProps) {
  const fields = users.length < USERS_OF_TURN ? [...users, ""] : users;
  return fields.map((id, at) => (
    <NativeSelect
      key={id}
      aria-label={at === 0 ? t.turn(place) : t.alsoInTurn(place)}
      value={id}
      data={[
        { value: "", label: at === 0 ? t.turn(place) : id === "" ? t.andAlso : common.none },
        ...choices.filter(({ value }) => value === id || !users.includes(value)),
      ]}
      onChange={({ currentTarget: { value } }) =>
        onUsers([...users.slice(0, at), value, ...users.slice(at + 1)].filter((each) => each !== ""))
      }
    />
  ));
}
