import { useMay } from "../../parts/session.ts";
import { AnomaliesTab, AuditTab, HistoryTab, RefusalsTab, TicketsTab } from "./record-tabs.tsx";
import { RejectedTab } from "./rejected-tab.tsx";
import type { TabProps } from "./tab-props.ts";

// A tab of several parts: a phone shows all tabs in one list, and nobody looks for a part in two places.

export function AnomaliesAndTicketsTab(props: TabProps) {
  return (
    <div className="stack-loose">
      <AnomaliesTab {...props} />
      {useMay("listTickets") && <TicketsTab {...props} />}
    </div>
  );
}

/** Shows the refusals of the broker, and the messages that it accepted but could not read. */
export function RefusedTab(props: TabProps) {
  return (
    <div className="stack-loose">
      <RejectedTab {...props} />
      {useMay("listRefusals") && <RefusalsTab {...props} />}
    </div>
  );
}

/** The events of the device, and the acts on it. */
export function HistoryAndAuditTab(props: TabProps) {
  return (
    <div className="stack-loose">
      <HistoryTab {...props} />
      {useMay("listAdminAudit") && <AuditTab {...props} />}
    </div>
  );
}
