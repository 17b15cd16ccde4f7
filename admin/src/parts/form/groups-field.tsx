import { Checkbox, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { Loaded } from "../loaded.tsx";
import "./groups-field.css";

interface GroupsFieldProps {
  label: string;
  description: ReactNode;
  /** As a form gives them: ids of groups. */
  value?: string[];
  onChange: (ids: string[]) => void;
  error?: ReactNode;
}

const TYPING_MS = 300;
/** Fewer are read at a glance. */
const SEARCHED_FROM = 8;

/** Chooses groups by name. Those that are chosen stay chosen, whatever is searched. */
export function GroupsField({ label, description, value = [], onChange, error }: GroupsFieldProps) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text, TYPING_MS);
  const query = useQuery(groupChoicesQuery(q.trim()));
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <Checkbox.Group label={label} description={description} value={value} onChange={onChange} error={error}>
          <div className="groups-field">
            {(total > SEARCHED_FROM || text !== "") && (
              <TextInput
                type="search"
                aria-label="Search groups"
                placeholder="Search groups"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            )}
            {items.length === 0 && (
              <p className="soft">{text === "" ? "There is no group yet." : "No group has this in its name."}</p>
            )}
            <div className="groups-choices">
              {items.map(({ id, name }) => (
                <Checkbox key={id} value={id} label={name} />
              ))}
            </div>
          </div>
        </Checkbox.Group>
      )}
    </Loaded>
  );
}
