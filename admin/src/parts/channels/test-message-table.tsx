import type { Schemas } from "../../api/client.ts";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { CHANNEL_TYPES, TEST_STATES } from "../../words/on-call.ts";
import { Word } from "../word.tsx";

type TestMessage = Schemas["TestMessage"];

const COLUMNS: readonly Column<TestMessage>[] = [
  { key: "target", title: "To", main: true, cell: ({ target }) => <span className="mono">{target}</span> },
  { key: "channel", title: "By", cell: ({ channel }) => CHANNEL_TYPES[channel] },
  { key: "state", title: "State", cell: ({ state }) => <Word of={TEST_STATES} value={state} plain /> },
  { key: "error", title: "Last error", cell: ({ error }) => error ?? <span className="soft">–</span> },
  { key: "at", title: "Asked for", cell: ({ at }) => <Ago at={at} /> },
];

/** How far test messages have come. */
export function TestMessageTable({ items }: { items: readonly TestMessage[] }) {
  return <Table label="Test messages" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />;
}
