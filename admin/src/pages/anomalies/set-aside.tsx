import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { t } from "#texts/aside.ts";
import {
  ANOMALIES,
  type Anomaly,
  anomalyPagingQuery,
  muteRule,
  snoozeAnomaly,
} from "../../api/monitoring/anomalies.ts";
import { Runs } from "../../parts/act/use-act.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { useMay } from "../../parts/session.ts";
import { Notice, Opens, Time } from "../../ui/ui.ts";
import { isLostRenewal } from "./columns.tsx";

const MINUTE_MS = 60_000;
/** The durations to choose from, in minutes. */
const SNOOZES = { 15: t.minutes15, 60: t.hour1, 240: t.hours4, 720: t.hours12, 1440: t.day1, 10080: t.days7 };
const MUTES = { 60: t.hour1, 1440: t.day1, 10080: t.days7, 43200: t.days30, 525600: t.days365 };

/** The buttons that set an unresolved anomaly aside. A certificate's renewal has no rule to mute. */
export function SetAside({ anomaly }: { anomaly: Anomaly }) {
  const { id, status } = anomaly;
  const [maySnooze, mayMute] = [useMay("snoozeAnomaly"), useMay("muteRule")];
  if (status === "resolved") return null;
  return (
    <>
      {maySnooze && status === "open" && (
        <Opens label={t.snooze} title={t.snoozeTitle}>
          {(close) => (
            <Length
              onClose={close}
              lengths={SNOOZES}
              action={t.snooze}
              done={t.snoozed}
              run={(until) => snoozeAnomaly(id, until)}
            >
              {t.snoozeText}
            </Length>
          )}
        </Opens>
      )}
      {mayMute && !isLostRenewal(anomaly) && (
        <Opens label={t.mute} title={t.muteTitle}>
          {(close) => (
            <Length onClose={close} lengths={MUTES} action={t.mute} done={t.muted} run={(until) => muteRule(id, until)}>
              {t.muteText}
            </Length>
          )}
        </Opens>
      )}
    </>
  );
}

interface LengthProps {
  lengths: Readonly<Record<number, string>>;
  action: string;
  done: string;
  run: (until: string) => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

function Length({ lengths, action, done, run, onClose, children }: LengthProps) {
  const [form, field] = useFields({ minutes: "60" });
  const data = Object.entries(lengths).map(([value, label]) => ({ value, label }));
  return (
    <Form
      form={form}
      onSubmit={({ minutes }) => run(new Date(Date.now() + Number(minutes) * MINUTE_MS).toISOString())}
      action={action}
      onCancel={onClose}
      onDone={onClose}
      done={done}
      refreshes={[ANOMALIES]}
    >
      <p>{children}</p>
      <NativeSelect label={t.length} data={data} data-autofocus {...field("minutes")} />
    </Form>
  );
}

/** Says until when the anomaly is set aside, and ends it. */
export function SetAsideNotice({ id }: { id: string }) {
  const { data } = useQuery(anomalyPagingQuery(id));
  const may = useMay("snoozeAnomaly");
  if (!data || (data.snoozedUntil === null && data.mutedUntil === null)) return null;
  const end = (run: () => Promise<unknown>) =>
    may && <Runs small label={t.end} run={run} done={t.ended} refreshes={[ANOMALIES]} />;
  return (
    <Notice tone="warn">
      {data.snoozedUntil && (
        <div className="row">
          <span>{t.snoozedUntil(<Time at={data.snoozedUntil} />)}</span>
          {end(() => snoozeAnomaly(id, null))}
        </div>
      )}
      {data.mutedUntil && (
        <div className="row">
          <span>{t.mutedUntil(<Time at={data.mutedUntil} />)}</span>
          {end(() => muteRule(id, null))}
        </div>
      )}
    </Notice>
  );
}
