import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { t } from "#texts/pages/needs-you.ts";
import type { Schemas } from "../../api/client.ts";
import { coverageQuery } from "../../api/people/on-call.ts";
import { useSession } from "../../parts/session.ts";
import { toneStyle } from "../../ui/theme/tones.ts";
import { Action, Notice, Panel, Section, Shape } from "../../ui/ui.ts";
import { MaintenanceNotice } from "../maintenance/maintenance-notice.tsx";
import { type Problem, problemsOf } from "./problems.ts";
import "./needs-you.css";

/** The number of problems that are shown at first. */
const SHOWN = 5;

/** The worst problems that the user can see, each with its cure and the screen where it is mended. */
export function NeedsYou({ overview }: { overview: Schemas["Overview"] }) {
  const coverage = useQuery(coverageQuery).data?.items ?? [];
  const isAdmin = useSession().user.role === "admin";
  const [all, setAll] = useState(false);
  const problems = problemsOf(overview, coverage, isAdmin);
  const further = problems.length - SHOWN;
  return (
    <Section title={t.whatNeedsYou}>
      <MaintenanceNotice />
      {problems.length === 0 && <Notice tone="good">{t.nothing}</Notice>}
      {problems.length > 0 && (
        <Panel tight>
          <ul className="needs list">
            {problems.slice(0, all ? undefined : SHOWN).map((problem) => (
              <Item key={problem.title} {...problem} />
            ))}
          </ul>
        </Panel>
      )}
      {further > 0 && !all && (
        <div>
          <Action small label={t.further(further)} onClick={() => setAll(true)} />
        </div>
      )}
    </Section>
  );
}

function Item({ tone, title, cure, href }: Problem) {
  return (
    <li className="needs-item" style={toneStyle(tone)}>
      <Shape tone={tone} />
      <div>
        {href ? <a href={href}>{title}</a> : <strong>{title}</strong>}
        <p className="soft">{cure}</p>
      </div>
    </li>
  );
}
