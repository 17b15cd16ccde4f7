import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import {
  AUTHORITIES,
  type Authority,
  authoritiesQuery,
  type Rotation,
  rotateAuthorities,
} from "../../api/people/platform.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Status } from "../../ui/display/status.tsx";
import { type Column, Table } from "../../ui/display/table.tsx";
import { Ago, Time } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { AUTHORITY_ROLES, AUTHORITY_STATES, ROTATIONS } from "../../words/authorities.ts";
import { TrustRollout } from "./trust-rollout.tsx";

const COLUMNS: readonly Column<Authority>[] = [
  { key: "name", title: "Name", main: true, cell: ({ name }) => name },
  { key: "role", title: "Role", cell: ({ role }) => AUTHORITY_ROLES[role] },
  { key: "state", title: "State", cell: ({ status }) => <State status={status} /> },
  { key: "expires", title: "Expires", cell: ({ notAfter }) => <Ago at={notAfter} /> },
  { key: "takeover", title: "Takes over", cell: ({ takeOverAt }) => <Time at={takeOverAt} /> },
  {
    key: "fingerprint",
    title: "SHA-256",
    cell: ({ fingerprintSha256 }) => <span className="mono">{fingerprintSha256.slice(0, 16)}…</span>,
  },
];

/** Every generation of the certificate authorities, and their rotations. */
export function Authorities() {
  const [rotation, setRotation] = useState<Rotation>();
  return (
    <>
      <div className="row">
        {Object.entries(ROTATIONS).map(([name, { action }]) => (
          <Button key={name} variant="default" onClick={() => setRotation(name as Rotation)}>
            {action}
          </Button>
        ))}
      </div>
      <TrustRollout />
      <Loaded query={useQuery(authoritiesQuery)}>
        {({ items }) => (
          <Table label="Certificate authorities" columns={COLUMNS} rows={items} rowKey={({ id }) => id} />
        )}
      </Loaded>
      <Rotate rotation={rotation} onClose={() => setRotation(undefined)} />
    </>
  );
}

function State({ status }: Pick<Authority, "status">) {
  const [tone, label] = AUTHORITY_STATES[status];
  return (
    <Status plain tone={tone}>
      {label}
    </Status>
  );
}

function Rotate({ rotation, onClose }: { rotation: Rotation | undefined; onClose: () => void }) {
  const refresh = useRefresh();
  const words = ROTATIONS[rotation ?? "intermediate"];
  return (
    <Confirm
      title={`${words.action}?`}
      opened={rotation !== undefined}
      onClose={onClose}
      action={words.action}
      typed="rotate"
      problem={renderProblem}
      onConfirm={async () => {
        if (rotation) await rotateAuthorities(rotation);
        toast("The rotation has begun.");
        await refresh(AUTHORITIES);
      }}
    >
      <p>{words.consequence}</p>
    </Confirm>
  );
}
