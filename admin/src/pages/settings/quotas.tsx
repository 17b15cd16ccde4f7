import type { Tenant } from "../../api/tenant.ts";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import type { Tone } from "../../ui/theme/tones.ts";

type Quota = Tenant["quotas"][number];

/** What is used of each quota, the fullest first. */
export function Quotas({ quotas }: { quotas: readonly Quota[] }) {
  const rows = quotas.toSorted((a, b) => shareOf(b) - shareOf(a));
  return <Table label="Quotas" columns={COLUMNS} rows={rows} rowKey={({ quota }) => quota} />;
}

const COLUMNS: readonly Column<Quota>[] = [
  { key: "of", title: "What is counted", main: true, cell: ({ of }) => of.charAt(0).toUpperCase() + of.slice(1) },
  { key: "used", title: "Used", numeric: true, cell: ({ used }) => used.toLocaleString() },
  { key: "limit", title: "Limit", numeric: true, cell: ({ limit }) => limit.toLocaleString() },
  { key: "share", title: "Share", cell: (quota) => <Share quota={quota} /> },
  {
    key: "own",
    title: "Set for",
    cell: ({ own }) => <span className="nowrap">{own ? "this tenant" : "all tenants"}</span>,
  },
];

function Share({ quota }: { quota: Quota }) {
  const share = shareOf(quota);
  return (
    <span className="nowrap">
      <Status plain tone={toneOf(share)}>
        {share > 0 && share < 0.01 ? "under 1 %" : `${Math.floor(share * 100)} %`}
      </Status>
    </span>
  );
}

function shareOf({ used, limit }: Quota): number {
  return limit === 0 ? 1 : used / limit;
}

function toneOf(share: number): Tone {
  if (share >= 1) return "bad";
  return share >= 0.8 ? "warn" : "neutral";
}
