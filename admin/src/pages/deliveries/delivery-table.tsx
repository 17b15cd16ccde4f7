import { type ReactNode, useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/home.ts";
import type { Delivery } from "../../api/monitoring/deliveries.ts";
import { Actor } from "../../parts/actor.tsx";
import { GroupNames } from "../../parts/group-names.tsx";
import { Word } from "../../parts/word.tsx";
import { type Column, Dialog, Facts, LinkButton, Status, Table, Time } from "../../ui/ui.ts";
import { DEFERRED_BY, DELIVERY_STATES, nameOfMessage } from "../../words/monitoring.ts";
import { CHANNEL_TYPES, OBSTACLES } from "../../words/on-call.ts";

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
      <Table label={common.messages} columns={columnsOf(ofAnomaly, setShown)} rows={rows} empty={empty} />
      <Dialog title={t.message} opened={shown !== undefined} onClose={() => setShown(undefined)} wide>
        {shown && <Attempts delivery={rows?.find(({ id }) => id === shown.id) ?? shown} />}
      </Dialog>
    </>
  );
}

function columnsOf(ofAnomaly: boolean, onShow: (delivery: Delivery) => void): readonly Column<Delivery>[] {
  return [
    { title: t.to, main: true, cell: ({ target }) => target },
    { title: common.what, cell: (delivery) => <About delivery={delivery} ofAnomaly={ofAnomaly} /> },
    { title: common.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
    { title: common.state, cell: (delivery) => <State {...delivery} /> },
    { title: common.why, cell: (delivery) => <Why {...delivery} /> },
    {
      title: t.attempts,
      cell: (delivery) => (
        <LinkButton onClick={() => onShow(delivery)}>
          {nouns.attempt(delivery.attempts.length)}
          <span className="hidden-text">{t.for(delivery.target)}</span>
        </LinkButton>
      ),
    },
  ];
}

function State({ state, obstacle }: Delivery) {
  if (obstacle) return <Status of={["bad", OBSTACLES[obstacle]]} plain />;
  return <Word of={DELIVERY_STATES} value={state} plain />;
}

/** The reason why a message was not sent, or not immediately. */
function Why({ lastError, deferredBy, deferredUntil }: Delivery) {
  if (deferredBy === null) return lastError ?? <span className="soft">–</span>;
  return (
    <>
      {DEFERRED_BY[deferredBy]}
      {deferredUntil !== null && <>{t.until(<Time at={deferredUntil} />)}</>}
    </>
  );
}

function About({ delivery: { type, anomalyId }, ofAnomaly }: { delivery: Delivery; ofAnomaly: boolean }) {
  if (ofAnomaly || anomalyId === null) return <>{nameOfMessage(type)}</>;
  return <a href={`/anomalies/${anomalyId}`}>{nameOfMessage(type)}</a>;
}

type Attempt = Delivery["attempts"][number];

const ATTEMPTS: readonly Column<Attempt>[] = [
  { title: t.attempt, main: true, cell: ({ attempt }) => `${attempt}.` },
  { title: common.when, cell: ({ at }) => <Time at={at} /> },
  { title: t.howItWent, cell: ({ error }) => error ?? t.accepted },
];

function Attempts({ delivery }: { delivery: Delivery }) {
  const { state, nextAt, doneAt, userId, groupId, channel, target, attempts } = delivery;
  const facts = {
    [t.to]: target,
    [common.by]: CHANNEL_TYPES[channel],
    [t.for2]: userId ? <Actor of={`user:${userId}`} /> : t.aChannelOfTheGroup,
    [common.group]: groupId && <GroupNames ids={[groupId]} none={common.none} />,
    [common.state]: <State {...delivery} />,
    ...(state === "pending" ? { [t.nextAttempt]: <Time at={nextAt} /> } : { [t.ended]: <Time at={doneAt} /> }),
  };
  return (
    <div className="stack">
      <Facts facts={facts} />
      <Table
        label={t.attempts}
        columns={ATTEMPTS}
        rows={attempts}
        rowKey={({ attempt }) => String(attempt)}
        empty={<p className="soft">{t.thereWasNoAttemptYet}</p>}
      />
    </div>
  );
}
