import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Group } from "../../api/people/groups.ts";
import { coverageQuery } from "../../api/people/on-call.ts";
import type { Versioned } from "../../api/versioned.ts";
import { useMay } from "../../parts/session.ts";
import { Empty } from "../../ui/display/empty.tsx";
import { Notice } from "../../ui/display/status.tsx";
import { Dialog } from "../../ui/input/dialog.tsx";
import { Panel, Section } from "../../ui/page/page.tsx";
import { ALWAYS_PAGES, afterText, NOTIFY } from "../../words/on-call.ts";
import { EscalationForm } from "./escalation-form.tsx";
import "./group.css";

/** Whom the group pages of an anomaly that is unacknowledged, and when. */
export function Escalation({ group }: { group: Versioned<Group> }) {
  const [open, setOpen] = useState(false);
  const may = useMay("updateGroup");
  const close = () => setOpen(false);
  const { escalation, id, name, pagesLostRenewals } = group.record;
  const change = (
    <Button variant="default" onClick={() => setOpen(true)}>
      {escalation.length === 0 ? "Add an escalation" : "Change escalation"}
    </Button>
  );
  return (
    <Section
      title="Who is paged"
      lead={`Of each anomaly that opens on a device of the group, until a user acknowledges it. Lost renewals of certificates are ${pagesLostRenewals ? "paged as well" : "not paged"}.`}
      actions={may && escalation.length > 0 && change}
    >
      {escalation.length === 0 ? (
        <Empty title="This group sends no pages." action={may && change}>
          It has no escalation: its members see anomalies only in the app.
        </Empty>
      ) : (
        <>
          <Uncovered id={id} />
          <Panel tight>
            <ol className="group-steps">
              {escalation.map(({ afterMinutes, notify }) => (
                <li key={afterMinutes}>
                  <strong>{afterText(afterMinutes)}</strong>: {NOTIFY[notify]}
                </li>
              ))}
            </ol>
            <p className="soft group-always">{ALWAYS_PAGES[group.record.alwaysPages]}.</p>
          </Panel>
        </>
      )}
      <Dialog title={`Escalation of ${name}`} opened={open} onClose={close}>
        <EscalationForm opened={group} onClose={close} />
      </Dialog>
    </Section>
  );
}

/** That some hours of the week are uncovered. */
function Uncovered({ id }: { id: string }) {
  const found = useQuery(coverageQuery).data?.items.find(({ groupId }) => groupId === id);
  if (!found) return null;
  return (
    <Notice tone="bad" title={`${found.hours.toLocaleString()} h of the next seven days are uncovered`}>
      <p>
        An anomaly that opens then pages no user and no channel. <a href={`/shifts?group=${id}`}>Show the week</a>
      </p>
    </Notice>
  );
}
