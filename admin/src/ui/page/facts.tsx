import type { ReactNode } from "react";
import "./facts.css";

/** What a record says, as label and value. A value that is absent shows as a dash, so that the place of a fact stays. */
export function Facts({ facts }: { facts: readonly (readonly [label: string, value: ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{isAbsent(value) ? <span className="soft">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
}

function isAbsent(value: ReactNode): boolean {
  return value === null || value === undefined || value === "" || value === false;
}
