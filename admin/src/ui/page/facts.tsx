import type { ReactNode } from "react";
import { Panel } from "./page.tsx";
import "./facts.css";

export type FactList = Readonly<Record<string, ReactNode>>;

/** Facts of a record by label. An absent value shows as a dash, so that its place stays. */
export function Facts({ facts, framed }: { facts: FactList; framed?: boolean }) {
  const list = (
    <dl className="facts">
      {Object.entries(facts).map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{isAbsent(value) ? <span className="soft">–</span> : value}</dd>
        </div>
      ))}
    </dl>
  );
  return framed ? <Panel>{list}</Panel> : list;
}

function isAbsent(value: ReactNode): boolean {
  return value === null || value === undefined || value === "" || value === false;
}
