import { type ReactNode, useState } from "react";
import type { Delivery } from "../../api/monitoring/deliveries.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Word } from "../../parts/word.tsx";
import { plural } from "../../ui/display/format.ts";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { LinkButton } from "../../ui/input/link-button.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { DEFERRED_BY, DELIVERY_STATES, nameOfMessage } from "../../words/monitoring.ts";

interface DeliveryTableProps {
  rows: readonly Delivery[] | undefined;
  /** All are about one anomaly. */
  ofAnomaly?: boolean;
  empty?: ReactNode;
}

/** Messages: to whom, when, how it went; with the attempts of each in a dialog. */
export function DeliveryTable({ rows, ofAnomaly = false, empty }: DeliveryTableProps) {
  const [shown, setShown] = useState<Delivery>();
  return (
    <>
      <Table
        label="Messages"
        columns={columnsOf(ofAnomaly, setShown)}
        rows={rows}
        rowKey={({ id }) => id}
        empty={empty}
      />
      <Dialog title="Message" opened={shown !== undefined} onClose={() => setShown(undefined)} wide>
        {shown && <Attempts delivery={rows?.find(({ id }) => id === shown.id) ?? shown} />}
      </Dialog>
    </>
  );
}

function columnsOf(ofAnomaly: boolean, onShow: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    { key: "to", title: "To", main: true, cell: ({ target }) => target },
    { key: "what", title: "What", cell: (delivery) => <About delivery={delivery} ofAnomaly={ofAnomaly} /> },
    { key: "at", title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
    { key: "state", title: "State", cell: ({ state }) => <Word of={DELIVERY_STATES} value={state} plain /> },
    { key: "error", title: "Why", cell: (delivery) => <Why {...delivery} /> },
    {
      key: "attempts",
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

/** Why it was not sent, or not at once. */
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
  { key: "attempt", title: "Attempt", main: true, cell: ({ attempt }) => `${attempt}.` },
  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
  { key: "error", title: "How it went", cell: ({ error }) => error ?? "accepted" },
];

function Attempts({ delivery }: { delivery: Delivery }) {
  const { state, nextAt, doneAt, userId, groupId, channel, target, attempts } = delivery;
  return (
    <div className="stack">
      <Facts
        facts={[
          ["To", target],
          ["By", channel === "email" ? "email" : "webhook"],
          ["For", userId ? <Actor key="user" of={`user:${userId}`} /> : "a channel of the group"],
          ["Group", groupId && <GroupNames key="group" ids={[groupId]} none="none" />],
          ["State", <Word key="state" of={DELIVERY_STATES} value={state} plain />],
          state === "pending"
            ? ["Next attempt", <Time key="next" at={nextAt} />]
            : ["Ended", <Time key="done" at={doneAt} />],
        ]}
      />
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
