import { t } from "#texts/guides.ts";
import { type Column, NEW, Section, Table } from "../../ui/ui.ts";

interface Way {
  name: string;
  href: string;
  key: string;
  goodFor: string;
  afterwards: string;
}

const WAYS: readonly Way[] = [
  { name: t.claim, href: "/connect", key: t.claimKey, goodFor: t.claimFor, afterwards: t.claimAfterwards },
  {
    name: t.added,
    href: `/devices#${NEW}`,
    key: t.addedKey,
    goodFor: t.addedFor,
    afterwards: t.addedAfterwards,
  },
  {
    name: t.bundle,
    href: "/certificates?issue=",
    key: t.bundleKey,
    goodFor: t.bundleFor,
    afterwards: t.bundleAfterwards,
  },
];

const COLUMNS: readonly Column<Way>[] = [
  { title: t.way, main: true, cell: ({ name }) => name },
  { title: t.privateKey, cell: ({ key }) => key },
  { title: t.goodFor, cell: ({ goodFor }) => goodFor },
  { title: t.afterwards, cell: ({ afterwards }) => afterwards },
];

/** The ways to a certificate, compared. */
export function WaysToConnect() {
  return (
    <Section title={t.waysToConnect} lead={t.waysLead}>
      <Table
        label={t.waysToConnect}
        columns={COLUMNS}
        rows={WAYS}
        rowKey={({ name }) => name}
        href={({ href }) => href}
      />
    </Section>
  );
}
