import { useQuery } from "@tanstack/react-query";
import { type Ticket, ticketQuery } from "../../api/monitoring/tickets.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { DeviceLink } from "../../parts/links/device-link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { Word } from "../../parts/word.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { PRIORITIES, TICKET_STATUSES, TICKET_TYPES } from "../../words/monitoring.ts";
import { Assignee } from "./columns.tsx";
import { Comments } from "./comments.tsx";
import { Due } from "./due.tsx";
import { History } from "./history.tsx";
import { TicketActions } from "./ticket-actions.tsx";
import "./ticket-page.css";

/** One ticket: what is to be done, by whom, until when; what people said, and what happened. */
export default function TicketPage() {
  const { id } = usePathParams<"id">();
  const query = useQuery(ticketQuery(id));
  const ticket = query.data?.record;
  return (
    <Page
      title={ticket ? `#${ticket.number} ${ticket.title}` : "Ticket"}
      back={{ href: "/tickets", label: "Tickets" }}
      lead={ticket && <States ticket={ticket} />}
      actions={query.data && <TicketActions version={query.data} />}
    >
      <Loaded query={query}>
        {({ record }) => (
          <>
            <TicketFacts ticket={record} />
            <Comments ticketId={record.id} />
            <History ticketId={record.id} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function States({ ticket: { status, priority, type } }: { ticket: Ticket }) {
  return (
    <span className="row">
      <Word of={TICKET_STATUSES} value={status} />
      <Word of={PRIORITIES} value={priority} />
      <span>{TICKET_TYPES[type]}</span>
    </span>
  );
}

function TicketFacts({ ticket }: { ticket: Ticket }) {
  const { deviceId, anomalyId, groupId, createdAt, createdBy, startedAt, completedAt, description, resolution } =
    ticket;
  return (
    <>
      <Panel>
        <Facts
          facts={[
            ["Assigned to", <Assignee key="assignee" ticket={ticket} />],
            ["Due", <Due key="due" ticket={ticket} none="no date" />],
            ["Device", deviceId && <DeviceLink key="device" id={deviceId} />],
            [
              "Anomaly",
              anomalyId && (
                <a key="anomaly" href={`/anomalies/${anomalyId}`}>
                  Show the anomaly
                </a>
              ),
            ],
            ["Group", <GroupNames key="group" ids={groupId ? [groupId] : []} none="none" />],
            ["Opened", <Time key="opened" at={createdAt} />],
            ["Opened by", <Actor key="by" of={createdBy} />],
            ["Work began", <Time key="started" at={startedAt} none="not yet" />],
            ["Completed", <Time key="completed" at={completedAt} none="not yet" />],
          ]}
        />
      </Panel>
      {description && <Text title="Description" text={description} />}
      {resolution && <Text title="Resolution" text={resolution} />}
    </>
  );
}

function Text({ title, text }: { title: string; text: string }) {
  return (
    <Section title={title}>
      <p className="ticket-text">{text}</p>
    </Section>
  );
}
