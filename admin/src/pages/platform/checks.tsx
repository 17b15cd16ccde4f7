import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { checksQuery } from "../../api/people/platform.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { sentence } from "../../parts/problem-box.tsx";
import { plural } from "../../ui/display/format.ts";
import { Notice, Status } from "../../ui/display/status.tsx";
import { Table } from "../../ui/display/table.tsx";

/** The checks of `muster doctor` that can run while the service works. */
export function Checks() {
  const query = useQuery(checksQuery);
  return (
    <Loaded query={query}>
      {({ healthy, checks }) => (
        <>
          <Notice tone={healthy ? "good" : "bad"} title={healthy ? "Every rule holds." : "Rules are violated."}>
            {!healthy && (
              <p>
                Run <code>muster doctor</code> at the shell: it names the records.
              </p>
            )}
          </Notice>
          <div className="row">
            <Button variant="default" onClick={() => void query.refetch()} loading={query.isFetching}>
              Check again
            </Button>
          </div>
          <Table
            label="Checks"
            rows={checks}
            rowKey={({ name }) => name}
            columns={[
              { key: "rule", title: "Rule", main: true, cell: ({ name }) => sentence(name) },
              {
                key: "state",
                title: "State",
                cell: ({ ok, level, broken }) =>
                  ok ? (
                    <Status plain tone="good">
                      Holds
                    </Status>
                  ) : (
                    <Status plain tone={level === "must" ? "bad" : "warn"}>
                      {plural(broken, "violation")}
                    </Status>
                  ),
              },
            ]}
          />
        </>
      )}
    </Loaded>
  );
}
