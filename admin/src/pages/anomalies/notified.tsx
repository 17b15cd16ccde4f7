import { useQuery } from "@tanstack/react-query";
import type { Schemas } from "../../api/client.ts";
import { pagesQuery } from "../../api/monitoring/anomalies.ts";
import { deliveriesQuery } from "../../api/monitoring/deliveries.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Word } from "../../parts/word.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";
import { NOTIFIED, PAGE_STATES } from "../../words/monitoring.ts";
import { DeliveryTable } from "../deliveries/delivery-table.tsx";

type EscalationPage = Schemas["EscalationPage"];

/** Steps and messages follow an event within seconds. */
const POLL_MS = 5_000;
const MOST = 50;

/** Who was paged when, what is to come, and how each message went. */
export function Notified({ anomalyId }: { anomalyId: string }) {
  const steps = useQuery({
    ...pagesQuery(anomalyId),
    refetchInterval: ({ state }) => (state.data?.items.some((each) => each.state === "due") ? POLL_MS : false),
  });
  const messages = useQuery(deliveriesQuery({ anomalyId, skip: 0, limit: MOST }));
  const href = `/deliveries?anomalyId=${anomalyId}`;
  return (
    <>
      <Section
        title="Pages"
        lead="The steps of escalation of the device's groups. They stop when a user acknowledges the anomaly."
      >
        <Loaded query={steps}>
          {({ items }) => (
            <Table
              label="Pages"
              columns={STEPS}
              rows={items}
              rowKey={({ groupId, afterMinutes }) => `${groupId} ${afterMinutes}`}
              empty={<Empty title="There are no pages">{NO_PAGES}</Empty>}
            />
          )}
        </Loaded>
      </Section>
      <Section title="Messages" lead="What was sent to whom, with every attempt.">
        <Loaded query={messages}>
          {(page) => (
            <>
              <DeliveryTable rows={page.items} ofAnomaly empty={<Empty title="No message was sent yet" />} />
              {page.total > MOST ? (
                <a href={href}>All messages</a>
              ) : (
                <Pager page={page} of="message" onSkip={() => undefined} />
              )}
            </>
          )}
        </Loaded>
      </Section>
    </>
  );
}

const NO_PAGES =
  "The device is in no group of yours that has steps of escalation, or it was over before the first step was due.";

const STEPS: readonly Column<EscalationPage>[] = [
  { key: "group", title: "Group", main: true, cell: ({ groupName }) => groupName },
  {
    key: "after",
    title: "After",
    cell: ({ afterMinutes }) => (afterMinutes === 0 ? "at once" : `${afterMinutes} min`),
  },
  { key: "whom", title: "Whom", cell: ({ notify }) => NOTIFIED[notify] },
  { key: "due", title: "Due", cell: ({ dueAt }) => <Time at={dueAt} /> },
  { key: "state", title: "What became of it", cell: ({ state }) => <Word of={PAGE_STATES} value={state} plain /> },
];
