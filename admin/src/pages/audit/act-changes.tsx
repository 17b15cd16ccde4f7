import { Table } from "../../ui/display/table.tsx";

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
        { key: "field", title: "Field", main: true, cell: (name) => name },
        { key: "before", title: "Before", cell: (name) => <Value of={before?.[name]} /> },
        { key: "after", title: "After", cell: (name) => <Value of={after?.[name]} /> },
      ]}
    />
  );
}

function Value({ of }: { of: unknown }) {
  if (of === undefined || of === null) return <span className="soft">–</span>;
  return <span className="mono">{typeof of === "string" ? of : JSON.stringify(of)}</span>;
}
