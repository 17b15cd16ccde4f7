import { Button, NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { groupTestsQuery, type Notify, testGroup } from "../../api/people/group-channels.ts";
import type { Group } from "../../api/people/groups.ts";
import { TestMessageTable } from "../../parts/channels/test-message-table.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { ProblemBox } from "../../parts/problem-box.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Section } from "../../ui/page/page.tsx";
import { NOTIFY } from "../../words/on-call.ts";

const CHOICES = Object.entries(NOTIFY).map(([value, label]) => ({ value, label: `To ${label}` }));

/** Tries whether messages of the group arrive, by the way that pages take. */
export function TestMessages({ group }: { group: Group }) {
  const [notify, setNotify] = useState<Notify>(group.escalation[0]?.notify ?? "members");
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const query = useQuery(groupTestsQuery(group.id));
  const refresh = useRefresh();
  const send = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await testGroup(group.id, notify);
      await refresh(`/api/admin/groups/${group.id}/tests`);
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section
      title="Test messages"
      lead="A message that says it is a test, by the way that pages take. At most one test a minute."
      actions={
        <>
          <NativeSelect
            aria-label="Receivers of the test"
            data={CHOICES}
            value={notify}
            onChange={(event) => setNotify(event.currentTarget.value as Notify)}
          />
          <Button variant="default" loading={busy} onClick={() => void send()}>
            Send a test message
          </Button>
        </>
      }
    >
      {error !== undefined && <ProblemBox error={error} />}
      <Loaded query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="soft">No test message was sent lately.</p>
          ) : (
            <TestMessageTable items={items} />
          )
        }
      </Loaded>
    </Section>
  );
}
