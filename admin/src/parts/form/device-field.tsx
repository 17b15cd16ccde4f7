import { Checkbox, Radio, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { t } from "#texts/pages/fleet.ts";
import { deviceQuery, suggestionsQuery } from "../../api/devices.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { DeviceLine } from "../links/device-line.tsx";

interface PickerProps {
  label: string;
  description?: ReactNode;
  error?: ReactNode;
}

const TYPING_MS = 200;

/** Chooses a device by name, id, hardware fingerprint or group. */
export function DeviceField({
  value = "",
  onChange,
  ...field
}: PickerProps & { value?: string; onChange: (id: string) => void }) {
  return (
    <Radio.Group value={value} onChange={onChange} {...field}>
      <Suggestions chosen={value === "" ? [] : [value]}>
        {(id, line) => <Radio key={id} value={id} label={line} />}
      </Suggestions>
    </Radio.Group>
  );
}

/** Chooses several devices. Chosen ones stay, whatever is searched next. */
export function DevicesField({
  value = [],
  onChange,
  ...field
}: PickerProps & { value?: string[]; onChange: (ids: string[]) => void }) {
  return (
    <Checkbox.Group value={value} onChange={onChange} {...field}>
      <Suggestions chosen={value}>{(id, line) => <Checkbox key={id} value={id} label={line} />}</Suggestions>
    </Checkbox.Group>
  );
}

interface SuggestionsProps {
  chosen: readonly string[];
  children: (id: string, line: ReactNode) => ReactNode;
}

function Suggestions({ chosen, children }: SuggestionsProps) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text, TYPING_MS);
  const found = useQuery(suggestionsQuery(q.trim())).data?.items;
  const groups = new Map(useQuery(groupChoicesQuery()).data?.items.map(({ id, name }) => [id, name]));
  const others = chosen.filter((id) => !found?.some((each) => each.id === id));
  return (
    <div className="choices-field stack-tight">
      <TextInput
        type="search"
        aria-label={t.searchDevices}
        placeholder={t.searchDevices}
        value={text}
        data-autofocus
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="choices-field-list stack-tight">
        {others.map((id) => children(id, <Chosen id={id} />))}
        {found?.map(({ id, name, hardwareFingerprint, place, groupIds }) =>
          children(
            id,
            <DeviceLine
              id={id}
              name={name}
              more={[hardwareFingerprint, ...groupIds.map((group) => groups.get(group)), place]}
            />,
          ),
        )}
        {found?.length === 0 && <p className="soft">{t.noDeviceFound}</p>}
      </div>
    </div>
  );
}

/** A chosen device that the search does not find; its name, or its id until the name is read. */
function Chosen({ id }: { id: string }) {
  const name = useQuery(deviceQuery(id)).data?.record.name;
  return name === undefined ? <span className="mono">{id}</span> : <DeviceLine id={id} name={name} more={[]} />;
}
