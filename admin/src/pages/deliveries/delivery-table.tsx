import { type ReactNode, useState } from "react";
import type { Delivery } from "../../api/monitoring/deliveries.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Word } from "../../parts/word.tsx";
import { type Column, Dialog, Facts, LinkButton, plural, Table, Time } from "../../ui/ui.ts";
import { DEFERRED_BY, DELIVERY_STATES, nameOfMessage } from "../../words/monitoring.ts";

interface DeliveryTableProps {
  rows: readonly Delivery[] | undefined;
  /** Set if all messages are about one anomaly. */
  ofAnomaly?: boolean;
  empty?: ReactNode;
}

/** Messages with receiver, time and outcome, and the attempts of each in a dialog. */
export function DeliveryTable({ rows, ofAnomaly = false, empty }: DeliveryTableProps) {
  const [shown, setShown] = useState<Delivery>();
  return (
    <>
      <Table label="Messages" columns={columnsOf(ofAnomaly, setShown)} rows={rows} empty={empty} />
      <Dialog title="Message" opened={shown !== undefined} onClose={() => setShown(undefined)} wide>
        {shown && <Attempts delivery={rows?.find(({ id }) => id === shown.id) ?? shown} />}
      </Dialog>
    </>
  );
}

function columnsOf(ofAnomaly: boolean, onShow: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    { title: "To", main: true, cell: ({ target }) => target },
    { title: "What", cell: (delivery) => <About delivery={delivery} ofAnomaly={ofAnomaly} /> },
    { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: "State", cell: ({ state }) => <Word of={DELIVERY_STATES} value={state} plain /> },
    { title: "Why", cell: (delivery) => <Why {...delivery} /> },
    {
      title: "Attempts",
      cell: (delivery) => (
        <LinkButton onClick={() => onShow(delivery)}>
          {plural(delivery.attempts.length, "attempt")}
          <span className="hidden-text"> for {delivery.target}</span>
        </LinkButton>
      ),
    },
  ];
}

/** The reason why a message was not sent, or not immediately. */
function Why({ lastError, deferredBy, deferredUntil }: Delivery) {
  if (deferredBy === null) return lastError ?? <span className="soft">–</span>;
  return (
    <>
      {DEFERRED_BY[deferredBy]}
      {deferredUntil !== null && (
        <>
          , until <Time at={deferredUntil} />
        </>
      )}
    </>
  );
}

function About({ delivery: { type, anomalyId }, ofAnomaly }: { delivery: Delivery; ofAnomaly: boolean }) {
  if (ofAnomaly || anomalyId === null) return <>{nameOfMessage(type)}</>;
  return <a href={`/anomalies/${anomalyId}`}>{nameOfMessage(type)}</a>;
}

type Attempt = Delivery["attempts"][number];

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: "Attempt", main: true, cell: ({ attempt }) => `${attempt}.` },
  { title: "When", cell: ({ at }) => <Time at={at} /> },
  { title: "How it went", cell: ({ error }) => error ?? "accepted" },
];

function Attempts({ delivery }: { delivery: Delivery }) {
  const { state, nextAt, doneAt, userId, groupId, channel, target, attempts } = delivery;
  const facts = {
    To: target,
    By: channel === "email" ? "email" : "webhook",
    For: userId ? <Actor of={`user:${userId}`} /> : "a channel of the group",
    Group: groupId && <GroupNames ids={[groupId]} none="none" />,
    State: <Word of={DELIVERY_STATES} value={state} plain />,
    ...(state === "pending" ? { "Next attempt": <Time at={nextAt} /> } : { Ended: <Time at={doneAt} /> }),
  };
  return (
    <div className="stack">
      <Facts facts={facts} />
      <Table
        label="Attempts"
        columns={ATTEMPTS}
        rows={attempts}
        rowKey={({ attempt }) => String(attempt)}
        empty={<p className="soft">There was no attempt yet.</p>}
      />
    </div>
  );
}
