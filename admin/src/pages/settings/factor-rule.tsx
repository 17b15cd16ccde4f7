import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type User, usersQuery } from "../../api/people/users.ts";
import { TENANT, type Tenant, updateTenant } from "../../api/tenant.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Status } from "../../ui/display/status.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";

interface FactorRuleProps {
  tenant: Tenant;
  etag: string | undefined;
}

/** Whether every administrator must have a second factor. */
export function FactorRule({ tenant, etag }: FactorRuleProps) {
  const [asks, setAsks] = useState(false);
  const may = useMay("updateTenant");
  const own = useSession().factor === "given";
  const on = tenant.adminsNeedFactor;
  return (
    <>
      <div>
        <Status tone={on ? "good" : "neutral"}>{on ? "Required" : "Not required"}</Status>
      </div>
      {may && (
        <div className="row">
          <Button variant="default" disabled={!on && !own} onClick={() => setAsks(true)}>
            {on ? "No longer require it" : "Require it"}
          </Button>
          {!on && !own && (
            <span className="soft">
              Set up your own first, on the page of your <a href="/account">account</a>.
            </span>
          )}
        </div>
      )}
      <Change tenant={tenant} etag={etag} opened={asks} onClose={() => setAsks(false)} />
    </>
  );
}

function Change({ tenant, etag, opened, onClose }: FactorRuleProps & { opened: boolean; onClose: () => void }) {
  const refresh = useRefresh();
  const on = tenant.adminsNeedFactor;
  const change = async () => {
    await updateTenant(etag, { adminsNeedFactor: !on });
    toast(on ? "Administrators no longer need a second factor." : "Every administrator needs a second factor now.");
    await refresh(TENANT);
  };
  return (
    <Confirm
      title={on ? "No longer require a second factor?" : "Require a second factor of every administrator?"}
      opened={opened}
      onClose={onClose}
      action={on ? "No longer require it" : "Require it"}
      harmless={!on}
      onConfirm={change}
      problem={renderProblem}
    >
      {on ? (
        <p>Administrators can turn theirs off then. Those who have one keep it until they do.</p>
      ) : (
        <WhoMustAct enabled={opened} />
      )}
    </Confirm>
  );
}

/** The administrators who have no second factor: whom the rule stops. */
function WhoMustAct({ enabled }: { enabled: boolean }) {
  const admins = useQuery({ ...usersQuery({ role: "admin", status: "active", skip: 0 }), enabled, staleTime: 0 });
  return (
    <Loaded query={admins}>
      {({ items, total }) => {
        const without = items.filter(({ secondFactor }) => !secondFactor);
        if (without.length === 0 && total === items.length) return <p>Every administrator has one already.</p>;
        return (
          <>
            <p>
              These administrators have none. Their sessions end at once; at the next sign-in they set one up before
              anything else. Their API keys stay.
            </p>
            <Names users={without} more={total > items.length} />
          </>
        );
      }}
    </Loaded>
  );
}

function Names({ users, more }: { users: readonly User[]; more: boolean }) {
  return (
    <ul>
      {users.map(({ id, email }) => (
        <li key={id}>{email}</li>
      ))}
      {more && <li>perhaps more: the list of users is longer</li>}
    </ul>
  );
}
