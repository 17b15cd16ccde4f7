import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { OWN_NOTIFICATIONS, ownTestsQuery, testOwnNotifications } from "../../../api/people/own-notifications.ts";
import { TestMessageTable } from "../../../parts/channels/test-message-table.tsx";
import { renderProblem } from "../../../parts/problem-box.tsx";
import { useRefresh } from "../../../parts/use-refresh.ts";

/** Tries whether messages to the user arrive, by the way that pages take. @param children further buttons, before its own */
export function OwnTests({ children }: { children: ReactNode }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const items = useQuery(ownTestsQuery).data?.items ?? [];
  const refresh = useRefresh();
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await testOwnNotifications();
      await refresh(OWN_NOTIFICATIONS);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div className="row">
        {children}
        <Button variant="default" loading={busy} onClick={() => void send()}>
          Send me a test message
        </Button>
      </div>
      {error !== undefined && renderProblem(error)}
      {items.length > 0 && <TestMessageTable items={items} />}
    </>
  );
}
