import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keyWritesQuery } from "../../api/keys.ts";
import { WRITE_COLUMNS } from "../../parts/list/write-columns.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Pager } from "../../ui/display/pager.tsx";
import { Table } from "../../ui/display/table.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Section } from "../../ui/page/page.tsx";

/** What was changed with a key. */
export function KeyWrites({ id }: { id: string }) {
  const [skip, setSkip] = useState(0);
  const query = useQuery(keyWritesQuery(id, skip));
  return (
    <Section title="Written with it">
      <Loaded query={query}>
        {(page) =>
          page.total === 0 ? (
            <p className="soft">Nothing was written with this key. Reads are not recorded.</p>
          ) : (
            <>
              <Table
                label="Written with it"
                rows={page.items}
                rowKey={(each) => each.id}
                columns={[
                  ...WRITE_COLUMNS,
                  { key: "address", title: "From", cell: ({ address }) => address ?? "–" },
                  { key: "at", title: "When", cell: ({ at }) => <Time at={at} /> },
                ]}
              />
              <Pager page={page} of="write" onSkip={setSkip} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
