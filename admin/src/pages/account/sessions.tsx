import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { endOwnSession, sessionsQuery } from "../../api/account.ts";
import { api, must, type Schemas } from "../../api/client.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { browserOf } from "./browser-of.ts";

type OwnSession = Schemas["OwnSession"];

const COLUMNS: readonly Column<OwnSession>[] = [
  { key: "browser", title: "Browser", main: true, cell: ({ userAgent }) => browserOf(userAgent) },
  { key: "address", title: "Address", cell: ({ address }) => <span className="mono">{address}</span> },
  { key: "begun", title: "Signed in", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { key: "used", title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  {
    key: "current",
    title: "State",
    cell: ({ current }) => (
      <Status tone={current ? "good" : "neutral"} plain>
        {current ? "This browser" : "Open"}
      </Status>
    ),
  },
  { key: "end", title: "Actions", cell: (session) => <EndSession session={session} /> },
];

/** Signs one other session out. */
function EndSession({ session: { id, current } }: { session: OwnSession }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  if (current) return <span className="soft">–</span>;
  const end = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await endOwnSession(id);
      await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    } catch (reason) {
      setError(reason);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button size="xs" variant="default" onClick={end} loading={busy}>
        Sign out
      </Button>
      {error !== undefined && renderProblem(error)}
    </>
  );
}

/** Where the user is signed in, and signing out everywhere else. */
export function Sessions() {
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const sessions = useQuery(sessionsQuery);
  const end = async () => {
    await must(api.DELETE("/api/admin/sessions"));
    toast("Your other sessions have ended.");
    await queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
  };
  return (
    <Loaded query={sessions}>
      {({ items }) => (
        <>
          <Table label="Sessions" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
          <div>
            <Button variant="default" disabled={items.length < 2} onClick={() => setAsks(true)}>
              Sign out other sessions
            </Button>
          </div>
          <Confirm
            title="Sign out your other sessions?"
            opened={asks}
            onClose={() => setAsks(false)}
            action="Sign out others"
            onConfirm={end}
            problem={renderProblem}
          >
            <p>Every session but this one ends at once: other browsers and devices have to sign in again.</p>
          </Confirm>
        </>
      )}
    </Loaded>
  );
}
