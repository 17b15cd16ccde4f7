import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Page, Tabs } from "../ui/ui.ts";
import { Loaded } from "./loaded.tsx";
import { useUrlState } from "./url-state.ts";

interface RecordPageProps<Data> {
  query: UseQueryResult<Data>;
  /** The list that the record belongs to. */
  back: { href: string; label: string };
  /** Names the kind of record until it is read. */
  kind: string;
  title: (data: Data) => string;
  lead?: (data: Data) => ReactNode;
  actions?: (data: Data) => ReactNode;
  children: (data: Data) => ReactNode;
  /** Shown below the record, whether or not it could be read. */
  below?: ReactNode;
}

/** The screen of one record, below the list that it belongs to. */
export function RecordPage<Data>({ query, back, kind, title, lead, actions, children, below }: RecordPageProps<Data>) {
  const { data } = query;
  return (
    <Page
      title={data === undefined ? kind : title(data)}
      back={back}
      lead={data !== undefined && lead?.(data)}
      actions={data !== undefined && actions?.(data)}
    >
      <Loaded query={query}>{children}</Loaded>
      {below}
    </Page>
  );
}

interface PartsPageProps {
  title: string;
  /** The address of the screen; parts but the first have `?of=` and their name. */
  path: string;
  /** Names the tabs for screen readers. */
  label: string;
  parts: Readonly<Record<string, { label: string; lead: string; content: () => ReactNode }>>;
}

/** A screen of parts, each with a tab. */
export function PartsPage({ title, path, label, parts }: PartsPageProps) {
  const [{ of = "" }] = useUrlState();
  const [first = ""] = Object.keys(parts);
  const current = of in parts ? of : first;
  const { content: Content, lead } = parts[current]!;
  const tabs = Object.entries(parts).map(([name, part]) => ({
    href: name === first ? path : `${path}?of=${name}`,
    label: part.label,
    current: name === current,
  }));
  return (
    <Page title={title} lead={lead} tabs={<Tabs label={label} tabs={tabs} />}>
      <Content />
    </Page>
  );
}
