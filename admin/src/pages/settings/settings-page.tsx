import { useQuery } from "@tanstack/react-query";
import { tenantQuery } from "../../api/tenant.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Time } from "../../ui/display/time.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { FactorRule } from "./factor-rule.tsx";
import { Quotas } from "./quotas.tsx";
import { TenantForm } from "./tenant-form.tsx";

/** The tenant: its name, how long telemetry is stored, what it uses of its quotas. */
export default function SettingsPage() {
  return (
    <Page title="Settings" narrow>
      <Loaded query={useQuery(tenantQuery)}>
        {({ record, etag }) => (
          <>
            <Panel>
              <Facts
                facts={[
                  [
                    "Tenant",
                    <span key="slug" className="mono">
                      {record.slug}
                    </span>,
                  ],
                  ["Topics begin with", <span key="prefix" className="mono">{`t/${record.slug}/`}</span>],
                  ["Created", <Time key="created" at={record.createdAt} />],
                ]}
              />
            </Panel>
            <Section title="Name and retention">
              <TenantForm opened={{ record, etag }} />
            </Section>
            <Section
              title="Second factor of administrators"
              lead="A code that the sign-in asks for after the password. Each user sets up their own on the account page."
            >
              <FactorRule tenant={record} etag={etag} />
            </Section>
            <Section title="Quotas" lead="What this tenant uses of what it may have.">
              <Quotas quotas={record.quotas} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
