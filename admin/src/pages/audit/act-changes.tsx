import type { ReactNode } from "react";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { fieldText } from "../../words/acts.ts";

type Fields = Readonly<Record<string, unknown>> | null;

/** The fields of a record before and after an act. */
export function ActChanges({ before, after }: { before: Fields; after: Fields }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  if (names.length === 0) return <p className="soft">No field is recorded with this act.</p>;
  return (
    <Table
      label="Changes"
      rows={names}
      rowKey={(name) => name}
      columns={[
        { key: "field", title: "Field", main: true, cell: (name) => <span title={name}>{fieldText(name)}</span> },
        { key: "before", title: "Before", cell: (name) => <Value name={name} of={before?.[name]} /> },
        { key: "after", title: "After", cell: (name) => <Value name={name} of={after?.[name]} /> },
      ]}
    />
  );
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value as people read it: records by name, times in the user's zone, lists without brackets. */
function Value({ name, of }: { name: string; of: unknown }): ReactNode {
  if (of === undefined || of === null || (Array.isArray(of) && of.length === 0)) return <span className="soft">–</span>;
  if (typeof of === "boolean") return of ? "yes" : "no";
  const texts = Array.isArray(of) ? of : [of];
  if (!texts.every((text) => typeof text === "string" || typeof text === "number"))
    return <span className="mono">{JSON.stringify(of)}</span>;
  if (name === "groupIds" || name === "groupId") return <GroupNames ids={texts.map(String)} none="–" />;
  return texts.map((text, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and may name a value twice
    <span key={at}>
      {at > 0 && ", "}
      <Text name={name} of={String(text)} />
    </span>
  ));
}

function Text({ name, of }: { name: string; of: string }) {
  if (/^(\w*U|u)serIds?$/.test(name)) return <Actor of={`user:${of}`} />;
  if (name === "revokedKeys") return <Actor of={`apikey:${of}`} />;
  if (name === "deviceId") return <DeviceLink id={of} />;
  return INSTANT.test(of) ? <Time at={of} /> : <span className="mono">{of}</span>;
}
