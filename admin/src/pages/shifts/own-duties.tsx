import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/duties.ts";
import { t as shifts } from "#texts/pages/shifts.ts";
import { agreeToOffer, type Offer, type OwnDuty, ownDutiesQuery, withdrawOffer } from "../../api/people/on-call.ts";
import { useAct } from "../../parts/act/use-act.tsx";
import { Actor } from "../../parts/actor.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useSession } from "../../parts/session.ts";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Action, type Column, Notice, Opens, Section, Table, Time } from "../../ui/ui.ts";
import { useOwnAbsences } from "./absences.tsx";
import { OF_DUTIES, OfferForm } from "./override-form.tsx";

const COLUMNS: readonly Column<OwnDuty>[] = [
  { title: t.begins, main: true, cell: ({ startsAt }) => <Time at={startsAt} /> },
  { title: t.ends, cell: ({ endsAt }) => <Time at={endsAt} /> },
  { title: common.group, cell: ({ groupName }) => groupName },
  { title: shifts.shift, cell: ({ shiftName }) => shiftName },
  {
    title: common.actions,
    cell: (duty) => (
      <Opens small label={t.offer} title={t.offerTitle(duty.groupName)}>
        {(close) => <OfferForm duty={duty} onClose={close} />}
      </Opens>
    ),
  },
];

const CalendarFeed = lazy(() => import("./calendar-feed.tsx"));

/** The button to the calendar of one's own duties, or of a group's. */
export function Calendar({ groupId }: { groupId: string | null }) {
  return (
    <Opens label={t.calendar} title={groupId === null ? t.myCalendar : t.groupCalendar}>
      {(close) => (
        <Suspense>
          <CalendarFeed groupId={groupId} onClose={close} />
        </Suspense>
      )}
    </Opens>
  );
}

/** Further duties are in the week of their group. */
const SHOWN = 10;

/** The signed-in user's duties, and the offers of duties that wait for an answer. */
export function OwnDuties() {
  const { button, dialog, list } = useOwnAbsences();
  return (
    <Section
      title={t.myShifts}
      lead={t.myLead}
      actions={
        <>
          <Calendar groupId={null} />
          {button}
        </>
      }
    >
      {list}
      <Loaded query={useQuery(ownDutiesQuery)}>
        {({ duties, offers }) => (
          <>
            {offers.map((offer) => (
              <AnOffer key={offer.id} offer={offer} />
            ))}
            {duties.length === 0 && <p className="soft">{t.noDuty}</p>}
            {duties.length > 0 && <Table label={t.myShifts} rows={duties.slice(0, SHOWN)} columns={COLUMNS} />}
          </>
        )}
      </Loaded>
      {dialog}
    </Section>
  );
}

function AnOffer({ offer }: { offer: Offer }) {
  const { id, userId, replacesUserId, groupName, startsAt, endsAt } = offer;
  const me = useSession().user.id;
  const { act, busy, problem } = useAct();
  const refresh = useRefresh();
  const answer = (send: (id: string) => Promise<unknown>) => () =>
    void act(async () => {
      await send(id);
      await refresh(...OF_DUTIES);
    });
  const times = [<Time key="from" at={startsAt} />, <Time key="to" at={endsAt} />] as const;
  if (replacesUserId === me)
    return (
      <Notice tone="neutral">
        <p>{t.youOffer(groupName, ...times)}</p>
        <div className="row">
          <Action small label={t.withdraw} loading={busy} onClick={answer(withdrawOffer)} />
        </div>
        {problem}
      </Notice>
    );
  return (
    <Notice tone="warn">
      <p>{t.theyOffer(<Actor of={`user:${replacesUserId}`} />, groupName, ...times)}</p>
      <div className="row">
        <Action small main label={t.take} loading={busy} onClick={answer(agreeToOffer)} />
        {userId === me && <Action small label={t.decline} loading={busy} onClick={answer(withdrawOffer)} />}
      </div>
      {problem}
    </Notice>
  );
}
