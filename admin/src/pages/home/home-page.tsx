import { useSession } from "../../parts/session.ts";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel } from "../../ui/page/page.tsx";
import { ROLES } from "../../words/roles.ts";

/** The first page after the sign-in. */
export default function HomePage() {
  const { user, tenant } = useSession();
  return (
    <Page title="Home" heading={tenant.name}>
      <Panel>
        <Facts
          facts={[
            ["Signed in as", user.email],
            ["Role", ROLES[user.role]],
            ["Tenant", tenant.slug],
            [
              "For programs",
              <a key="docs" href="/docs/api" target="_blank" rel="noreferrer">
                API reference
              </a>,
            ],
          ]}
        />
      </Panel>
    </Page>
  );
}
