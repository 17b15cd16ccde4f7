import { Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/groups.ts";
import { t as screens } from "#texts/screens.ts";
import { type Group, groupQuery } from "../../../api/people/groups.ts";
import { type Replay, replayPaging } from "../../../api/people/on-call.ts";
import { useAct } from "../../../parts/act/use-act.tsx";
import { ShiftsField } from "../../../parts/form/choices-field.tsx";
import { RecordPage } from "../../../parts/record-page.tsx";
import { usePathParams } from "../../../parts/use-params.ts";
import { ownZone } from "../../../ui/display/zone.ts";
import { Action, DialogActions, Panel } from "../../../ui/ui.ts";
import { EscalationSteps, inOrder, type Step } from "../escalation-steps.tsx";
import { ReplayResult } from "./replay-result.tsx";

const DAY_MS = 86_400_000;
const DAYS = [7, 14, 30];

/** A past period of a group, paged again under another configuration. */
export default function ReplayPage() {
  const { id } = usePathParams<"id">();
  return (
    <RecordPage
      query={useQuery(groupQuery(id))}
      back={{ href: `/groups/${id}`, label: common.group }}
      kind={screens.replay}
      title={({ record }) => t.replayOf(record.name)}
    >
      {({ record }) => <Replaying group={record} />}
    </RecordPage>
  );
}

function Replaying({ group }: { group: Group }) {
  const [days, setDays] = useState(30);
  const [steps, setSteps] = useState<Step[]>(group.escalation);
  const [shiftIds, setShiftIds] = useState<string[]>(group.shiftIds);
  const [daily, setDaily] = useState<Daily>({ isOn: false, startTime: "22:00", endTime: "06:00" });
  const [replayed, setReplayed] = useState<{ replay: Replay; days: number }>();
  const { act, busy, problem } = useAct();
  const wrong = inOrder(steps) ?? undefined;
  const run = (event: FormEvent) => {
    event.preventDefault();
    const to = Date.now();
    const period = { from: new Date(to - days * DAY_MS).toISOString(), to: new Date(to).toISOString() };
    const windows = daily.isOn ? [{ recurrence: everyDay(daily) }] : [];
    const change = { escalation: steps, shiftIds, windows };
    void act(async () => setReplayed({ days, replay: await replayPaging(group.id, { ...period, ...change }) }));
  };
  return (
    <>
      <p className="soft">{t.replayLead}</p>
      <Panel>
        <form className="stack" onSubmit={run} noValidate>
          <NativeSelect
            label={t.period}
            data={DAYS.map((value) => ({ value: String(value), label: t.lastDays(value) }))}
            value={String(days)}
            onChange={(event) => setDays(Number(event.currentTarget.value))}
          />
          <EscalationSteps steps={steps} error={wrong} onChange={setSteps} />
          <ShiftsField label={common.shifts} value={shiftIds} onChange={setShiftIds} />
          <DailyWindow daily={daily} onChange={setDaily} />
          <DialogActions>
            <Action label={t.replay} type="submit" loading={busy} disabled={wrong !== undefined} />
          </DialogActions>
        </form>
      </Panel>
      {busy && (
        <p className="soft" aria-live="polite">
          {t.replaying}
        </p>
      )}
      {problem}
      {replayed && !problem && <ReplayResult group={group} {...replayed} />}
    </>
  );
}

/** A window of every day, in local times. */
interface Daily {
  isOn: boolean;
  startTime: string;
  endTime: string;
}

function DailyWindow({ daily, onChange }: { daily: Daily; onChange: (daily: Daily) => void }) {
  const timeOf = (field: "startTime" | "endTime", label: string) => (
    <TextInput
      type="time"
      label={label}
      value={daily[field]}
      onChange={(event) => onChange({ ...daily, [field]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <Checkbox
        label={t.dailyWindow}
        description={t.dailyWindowHint}
        checked={daily.isOn}
        onChange={(event) => onChange({ ...daily, isOn: event.currentTarget.checked })}
      />
      {daily.isOn && (
        <div className="row row-fields">
          {timeOf("startTime", t.fromTime)}
          {timeOf("endTime", t.toTime)}
        </div>
      )}
    </>
  );
}

const EVERY_DAY = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** The hours are those of the user's time zone. */
function everyDay({ startTime, endTime }: Daily) {
  return { timeZone: ownZone(), startTime, endTime, daysOfWeek: [...EVERY_DAY] };
}
