import { Checkbox, NativeSelect } from "@mantine/core";
import { t } from "#texts/pages/fleet.ts";
import { type FilterValues, Opens } from "../../ui/ui.ts";
import type { ShownColumns } from "./columns.tsx";

interface ChooseColumnsProps {
  shown: ShownColumns;
  /** Writes the choice into the address. */
  onChange: (changed: FilterValues) => void;
}

/** Chooses the columns of the list and the height of its rows. */
export function ChooseColumns({ shown, onChange }: ChooseColumnsProps) {
  return (
    <Opens subtle label={t.columns} title={t.chooseColumns}>
      {() => (
        <div className="stack">
          <Checkbox.Group
            label={t.columns}
            description={t.theChoiceIsInTheAddress}
            value={[...shown.chosen]}
            onChange={(chosen) => onChange({ columns: inOrder(shown, chosen).join(",") })}
          >
            <div className="stack-tight">
              {shown.choices.map(([name, title]) => (
                <Checkbox key={name} value={name} label={title} />
              ))}
            </div>
          </Checkbox.Group>
          <NativeSelect
            label={t.density}
            value={shown.isDense ? "compact" : ""}
            onChange={(event) => onChange({ density: event.currentTarget.value || undefined })}
            data={[
              { value: "", label: t.comfortable },
              { value: "compact", label: t.compact },
            ]}
          />
        </div>
      )}
    </Opens>
  );
}

const inOrder = ({ choices }: ShownColumns, chosen: readonly string[]) =>
  choices.map(([name]) => name).filter((name) => chosen.includes(name));
