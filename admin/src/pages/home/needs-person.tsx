import type { Schemas } from "../../api/client.ts";
import { localMinute } from "../../parts/filter-values.ts";
import { Section } from "../../ui/page/page.tsx";
import { Tile, Tiles } from "../../ui/page/tile.tsx";
import { UNFINISHED } from "../tickets/filters.ts";
import { CoverageTile } from "./coverage-tile.tsx";

const DAY_MS = 86_400_000;

/** What a person has to check, do, or take on. */
export function NeedsPerson({ overview }: { overview: Schemas["Overview"] }) {
  const { anomalies, tickets, refusedLastDay, at } = overview;
  const { critical, major, minor, warning } = anomalies.open;
  const since = localMinute(Date.parse(at) - DAY_MS);
  return (
    <Section title="What needs a person">
      <Tiles>
        <Tile
          label="Open anomalies"
          value={critical + major + minor + warning}
          href="/anomalies?status=open&sort=-severity"
          tone={critical > 0 ? "bad" : "warn"}
          note={critical > 0 ? `${critical.toLocaleString()} critical` : undefined}
        />
        <Tile label="Acknowledged" value={anomalies.acknowledged} href="/anomalies?status=acknowledged" />
        <Tile label="Tickets overdue" value={tickets.overdue} href="/tickets?overdue=true&sort=dueAt" tone="bad" />
        <Tile
          label="Unassigned tickets"
          value={tickets.unassigned}
          href={`/tickets?assigneeUserId=none&status=${UNFINISHED}`}
          tone="warn"
        />
        <Tile label="Refused in 24 h" value={refusedLastDay} href={`/refusals?from=${since}`} tone="warn" />
        <CoverageTile />
      </Tiles>
    </Section>
  );
}
