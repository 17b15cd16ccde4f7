import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { adminAuditQuery, apiAuditQuery, certificateAuditQuery } from "../../api/audits.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Empty } from "../../ui/display/empty.tsx";
import { plural } from "../../ui/display/format.ts";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Section } from "../../ui/page/page.tsx";
import { ADMIN_COLUMNS } from "../audit/admin-audit.tsx";
import { API_COLUMNS } from "../audit/api-audit.tsx";
import { CERTIFICATE_COLUMNS } from "../audit/certificate-audit.tsx";
import type { TabProps } from "./tab-props.ts";

/** Entries of each audit on this tab; the link leads to all of them. */
const SHOWN = 10;

/** Who did what to the device: in administration, with API keys, and to its certificates. */
export function AuditTab({ device: { id } }: Pick<TabProps, "device">) {
  const page = { skip: 0, limit: SHOWN };
  const all = (query: Record<string, string>) => `/audit?${new URLSearchParams(query)}`;
  return (
    <div className="stack-loose">
      <Part
        title="Administration"
        query={useQuery(adminAuditQuery({ target: id, ...page }))}
        columns={ADMIN_COLUMNS.filter(({ key }) => key !== "target")}
        all={all({ target: id })}
      />
      <Part
        title="Certificates"
        query={useQuery(certificateAuditQuery({ deviceId: id, ...page }))}
        columns={CERTIFICATE_COLUMNS.filter(({ key }) => key !== "device")}
        all={all({ of: "certificates", deviceId: id })}
      />
      <Part
        title="Writes with API keys"
        query={useQuery(apiAuditQuery({ resource: "device", resourceId: id, ...page }))}
        columns={API_COLUMNS.filter(({ key }) => key !== "record")}
        all={all({ of: "api", resourceId: id })}
      />
    </div>
  );
}

interface PartProps<Row> {
  title: string;
  query: Parameters<typeof Loaded<{ items: readonly Row[]; total: number }>>[0]["query"];
  columns: readonly Column<Row>[];
  /** Where all entries are. */
  all: string;
}

function Part<Row extends { id: string }>({ title, query, columns, all }: PartProps<Row>): ReactNode {
  return (
    <Section title={title}>
      <Loaded query={query}>
        {({ items, total }) => (
          <>
            <Table
              label={title}
              columns={columns}
              rows={items}
              rowKey={({ id }) => id}
              empty={<Empty title="There is no entry yet." />}
            />
            {total > 0 && (
              <p>
                <a href={all}>{plural(total, "entry", "entries")} in the audit</a>
              </p>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}
