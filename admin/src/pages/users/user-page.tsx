import { useQuery } from "@tanstack/react-query";
import { impactQuery, type User, userQuery } from "../../api/people/users.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { usePathParams } from "../../parts/use-params.ts";
import { Ago, Time } from "../../ui/display/time.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { Page, Panel, Section } from "../../ui/page/page.tsx";
import { ROLES } from "../../words/roles.ts";
import { KeysThatStop } from "./keys-that-stop.tsx";
import { UserActions } from "./user-actions.tsx";

/** A user: role, state, and the API keys that stop with the account. */
export default function UserPage() {
  const { id } = usePathParams<"id">();
  const query = useQuery(userQuery(id));
  const impact = useQuery(impactQuery(id));
  return (
    <Page
      title={query.data?.record.email ?? "User"}
      back={{ href: "/users", label: "Users" }}
      actions={query.data && <UserActions {...query.data} />}
    >
      <Loaded query={query}>
        {({ record }) => (
          <Panel>
            <Facts facts={factsOf(record)} />
          </Panel>
        )}
      </Loaded>
      <Section
        title="API keys that stop with this user"
        lead="They stop for good when the user is deactivated or deleted, or completes a reset of the password."
      >
        <Loaded query={impact}>{({ keys }) => <KeysThatStop keys={keys} />}</Loaded>
      </Section>
    </Page>
  );
}

function factsOf(user: User): (readonly [string, React.ReactNode])[] {
  return [
    ["Role", ROLES[user.role]],
    ["State", user.status === "active" ? "Active" : "Deactivated"],
    ["Runs the installation", user.platform ? "yes" : "no"],
    ["Second factor", user.secondFactor ? "on" : "none"],
    ["Last active", <Ago key="used" at={user.lastUsedAt} none="not signed in" />],
    ["Since", <Time key="created" at={user.createdAt} />],
    [
      "Audit",
      <a key="audit" href={`/audit?actor=user%3A${user.id}`}>
        what the user did
      </a>,
    ],
  ];
}
