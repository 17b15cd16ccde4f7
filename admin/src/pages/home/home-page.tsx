import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { overviewQuery } from "../../api/overview.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Page, Section } from "../../ui/page/page.tsx";
import { Tile, Tiles } from "../../ui/page/tile.tsx";
import { ExpiryForecast } from "./expiry-forecast.tsx";
import { Guide } from "./guide.tsx";
import { NeedsPerson } from "./needs-person.tsx";

/** What needs attention: counts that lead to what they count, the certificates that end, and the first steps of a new tenant. */
export default function HomePage() {
  const { tenant } = useSession();
  const mayConnect = useMay("createClaim");
  return (
    <Page
      title="Home"
      heading={tenant.name}
      actions={
        mayConnect && (
          <Button component="a" href="/connect">
            Connect a device
          </Button>
        )
      }
    >
      <Loaded query={useQuery(overviewQuery)}>{(overview) => <Overview overview={overview} />}</Loaded>
    </Page>
  );
}

function Overview({ overview }: { overview: Schemas["Overview"] }) {
  const { devices, openClaims } = overview;
  const { connectivity, certificates } = devices;
  const { role } = useSession().user;
  return (
    <>
      {devices.total === 0 && role !== "admin" && (
        <Notice tone="accent" title="You see no device">
          <p>
            You see the devices of <a href="/groups">your groups</a>. An administrator adds you to a group, or devices
            to one of yours.
          </p>
        </Notice>
      )}
      <Guide overview={overview} />
      <NeedsPerson overview={overview} />
      <Section title="Devices">
        <Tiles>
          <Tile label="Online" value={connectivity.online} href="/devices?connectivity=online" tone="good" />
          <Tile label="Offline" value={connectivity.offline} href="/devices?connectivity=offline" tone="warn" />
          <Tile label="Never seen" value={connectivity.never_seen} href="/devices?connectivity=never_seen" />
          <Tile label="All" value={devices.total} href="/devices" />
        </Tiles>
      </Section>
      <Section title="Certificates">
        <Tiles>
          <Tile
            label="Expire soon"
            value={certificates.expiring}
            href="/devices?certificateState=expiring"
            tone="warn"
          />
          <Tile
            label="Renewal due"
            value={certificates.renewal_due}
            href="/devices?certificateState=renewal_due"
            note={devices.renewalsOverdue > 0 ? `${devices.renewalsOverdue.toLocaleString()} overdue` : undefined}
          />
          <FindingTiles findings={overview.findings} />
          <Tile label="Expired" value={certificates.expired} href="/devices?certificateState=expired" tone="bad" />
          <Tile label="Revoked" value={certificates.revoked} href="/devices?certificateState=revoked" tone="bad" />
          <Tile label="No certificate" value={certificates.none} href="/devices?certificateState=none" />
          {openClaims !== null && <Tile label="Open claims" value={openClaims} href="/claims?status=pending" />}
        </Tiles>
      </Section>
      {devices.total > 0 && <ExpiryForecast weeks={devices.expiry} />}
    </>
  );
}

/** Devices that lose their connection, or never publish, unless someone acts. */
function FindingTiles({ findings }: Pick<Schemas["Overview"], "findings">) {
  return (
    <>
      <Tile
        label="Renewals overdue"
        value={findings.renewal_overdue}
        href="/findings?kind=renewal_overdue"
        tone="bad"
      />
      <Tile
        label="Bundles that end soon"
        value={findings.bundle_expiring}
        href="/findings?kind=bundle_expiring"
        tone="warn"
      />
      <Tile
        label="Publish nowhere"
        value={findings.publishes_nowhere}
        href="/findings?kind=publishes_nowhere"
        tone="warn"
      />
    </>
  );
}
