import type { Schemas } from "../../api/client.ts";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";

type Key = Schemas["UserImpact"]["keys"][number];

const COLUMNS: readonly Column<Key>[] = [
  { key: "name", title: "Key", main: true, cell: ({ name }) => name },
  { key: "scopes", title: "Scopes", cell: ({ scopes }) => <span className="mono">{scopes.join(", ")}</span> },
  { key: "used", title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  { key: "from", title: "From", cell: ({ lastUsedAddress }) => lastUsedAddress ?? "–" },
];

/** API keys with their last use: a key in use is a program that stops. */
export function KeysThatStop({ keys }: { keys: readonly Key[] }) {
  return (
    <Table
      label="API keys that stop"
      columns={COLUMNS}
      rows={keys}
      rowKey={({ id }) => id}
      empty={<p className="soft">The user has no API key that works.</p>}
    />
  );
}
