import { TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { devicesQuery } from "../../../api/devices.ts";
import { filled } from "../../../api/queries.ts";

const TYPING_MS = 300;
const MOST = 20;

/** A device by its id; the browser offers those whose id or name has what was typed. */
export function DevicePicker({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const list = useId();
  const [q] = useDebouncedValue(value.trim(), TYPING_MS);
  const devices = useQuery(devicesQuery(filled({ q, limit: MOST }))).data?.items ?? [];
  return (
    <>
      <TextInput
        label="Device"
        placeholder="Device id"
        list={list}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        spellCheck={false}
        autoComplete="off"
      />
      <datalist id={list}>
        {devices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
