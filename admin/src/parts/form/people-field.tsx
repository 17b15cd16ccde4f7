import { Checkbox, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { foundPeopleQuery } from "../../api/people/people.ts";
import { ROLES } from "../../words/roles.ts";
import { Loaded } from "../loaded.tsx";
import "./groups-field.css";

interface PeopleFieldProps {
  label: string;
  description?: ReactNode;
  /** As a form gives them: ids of users. */
  value?: string[];
  onChange: (ids: string[]) => void;
  error?: ReactNode;
}

const TYPING_MS = 300;
/** Fewer are read at a glance. */
const SEARCHED_FROM = 8;

/** Chooses active users by address. Those that are chosen stay chosen, whatever is searched. */
export function PeopleField({ label, description, value = [], onChange, error }: PeopleFieldProps) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text, TYPING_MS);
  const query = useQuery(foundPeopleQuery(q.trim()));
  return (
    <Loaded query={query}>
      {({ items, total }) => (
        <Checkbox.Group label={label} description={description} value={value} onChange={onChange} error={error}>
          <div className="groups-field">
            {(total > SEARCHED_FROM || text !== "") && (
              <TextInput
                type="search"
                aria-label="Search people"
                placeholder="Search people"
                value={text}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            )}
            {items.length === 0 && <p className="soft">No active user has this in their address.</p>}
            <div className="groups-choices">
              {items.map(({ id, email, role }) => (
                <Checkbox key={id} value={id} label={`${email} (${ROLES[role].toLowerCase()})`} />
              ))}
            </div>
          </div>
        </Checkbox.Group>
      )}
    </Loaded>
  );
}
