import { common } from "#texts/common.ts";
import { t } from "#texts/parts.ts";
import type { Schemas } from "../../api/client.ts";
import { Ago, type Column, Status, Table } from "../../ui/ui.ts";
import { CHANNEL_TYPES, OBSTACLES, TEST_STATES } from "../../words/on-call.ts";
import { Word } from "../word.tsx";

type TestMessage = Schemas["TestMessage"];

const COLUMNS: readonly Column<TestMessage>[] = [
  { title: t.to, main: true, cell: ({ target }) => <span className="mono">{target}</span> },
  { title: common.by, cell: ({ channel }) => CHANNEL_TYPES[channel] },
  {
    title: common.state,
    cell: ({ state, obstacle }) =>
      obstacle ? <Status of={["bad", OBSTACLES[obstacle]]} plain /> : <Word of={TEST_STATES} value={state} plain />,
  },
  { title: t.lastError, cell: ({ error }) => error ?? <span className="soft">–</span> },
  { title: t.askedFor, cell: ({ at }) => <Ago at={at} /> },
];

/** The kinds of channel that have an address. */
export const CHANNEL_CHOICES = (["email", "webhook"] as const).map((value) => ({ value, label: CHANNEL_TYPES[value] }));

export function TestMessageTable({ items }: { items: readonly TestMessage[] }) {
  return <Table label={t.testMessages} columns={COLUMNS} rows={items} />;
}
