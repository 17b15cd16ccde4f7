import type { OnCall } from "../../api/people/on-call.ts";
import { Status } from "../../ui/display/status.tsx";
import { type DutyEntry, type Entry, type WeekDay, weekOf } from "./week.ts";
import "./week.css";

/** Who is on duty in the next seven days, and the uncovered hours: as a picture of each day, and in words. */
export function WeekView({ onCall, zone, from }: { onCall: OnCall; zone: string; from: number }) {
  return (
    <div className="week">
      <div className="week-hours" aria-hidden="true">
        {["00", "06", "12", "18", "24"].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      <ol className="week-days">
        {weekOf(onCall, zone, from).map((day) => (
          <Day key={day.date} day={day} />
        ))}
      </ol>
      <p className="week-legend soft">
        <span className="week-sample week-sample-duty" aria-hidden="true" /> on duty
        <span className="week-sample week-gap" aria-hidden="true" /> uncovered
      </p>
    </div>
  );
}

const DATE = new Intl.DateTimeFormat(undefined, { timeZone: "UTC", weekday: "short", day: "numeric", month: "short" });

function Day({ day }: { day: WeekDay }) {
  const { date, duties, gaps, outside, rows } = day;
  return (
    <li className="week-day">
      <h3 className="week-date">{DATE.format(date)}</h3>
      <div className="week-track" style={{ height: `${rows * 30 + 2}px` }} aria-hidden="true">
        {outside.map(({ left, width }) => (
          <div key={left} className="week-block week-outside" style={placed(left, width)} />
        ))}
        {gaps.map(({ left, width, times }) => (
          <div key={left} className="week-block week-gap" style={placed(left, width)} title={`${times}: uncovered`} />
        ))}
        {duties.map((duty) => (
          <Bar key={duty.key} duty={duty} />
        ))}
      </div>
      <InWords duties={duties} gaps={gaps} />
    </li>
  );
}

function Bar({ duty }: { duty: DutyEntry }) {
  const { left, width, row, shiftName, times } = duty;
  const people = peopleText(duty);
  return (
    <div
      className={`week-block week-bar${duty.people.length === 0 ? " week-bar-empty" : ""}`}
      style={{ ...placed(left, width), top: `${row * 30 + 3}px` }}
      title={`${times} ${shiftName}: ${people}`}
    >
      {shiftName} · {people}
    </div>
  );
}

/** On a phone the bars are too short for names; a screen reader reads this in place of the picture. */
function InWords({ duties, gaps }: { duties: readonly DutyEntry[]; gaps: readonly Entry[] }) {
  const entries = [
    ...duties.map((duty) => ({ ...duty, text: `${duty.shiftName}: ${peopleText(duty)}`, gap: false })),
    ...gaps.map((gap) => ({ ...gap, key: `gap ${gap.left}`, text: "uncovered", gap: true })),
  ].toSorted((one, other) => one.left - other.left);
  return (
    <ul className="week-words">
      {entries.map(({ key, times, text, gap }) => (
        <li key={key}>
          <span className="nowrap">{times}</span>{" "}
          {gap ? (
            <Status plain tone="bad">
              {text}
            </Status>
          ) : (
            text
          )}
        </li>
      ))}
    </ul>
  );
}

function peopleText({ people }: DutyEntry): string {
  return people.length > 0 ? people.join(", ") : "no active user";
}

function placed(left: number, width: number) {
  return { left: `${left}%`, width: `${width}%` };
}
