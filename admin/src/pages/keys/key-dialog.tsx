import { Button } from "@mantine/core";
import { useState } from "react";
import { type ApiKey, KEYS, revokeKey } from "../../api/keys.ts";
import { Actor } from "../../parts/actor.tsx";
import { renderProblem } from "../../parts/problem-box.tsx";
import { useMay } from "../../parts/session.ts";
import { toast } from "../../parts/toasts.tsx";
import { useRefresh } from "../../parts/use-refresh.ts";
import { Notice } from "../../ui/display/status.tsx";
import { Ago, Time, useNow } from "../../ui/display/time.tsx";
import { Confirm } from "../../ui/input/confirm.tsx";
import { Dialog, DialogActions } from "../../ui/input/dialog.tsx";
import { Facts } from "../../ui/page/facts.tsx";
import { ACTS } from "../../words/acts.ts";
import { endOfKey } from "../../words/keys.ts";
import { KeyWrites } from "./key-writes.tsx";

/** A key: what it may do, why it ended, what was written with it. */
export function KeyDialog({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  return (
    <Dialog title={apiKey?.name ?? "API key"} wide opened={apiKey !== undefined} onClose={onClose}>
      {apiKey && <Content apiKey={apiKey} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const end = endOfKey(apiKey, useNow());
  const may = useMay("revokeKey");
  const [revoking, setRevoking] = useState(false);
  return (
    <>
      {end && <WhyEnded apiKey={apiKey} end={end} />}
      {!end && apiKey.ownerRole !== "admin" && <WhyLimited apiKey={apiKey} />}
      <Facts
        facts={[
          ["Key id", <code key="id">{apiKey.id}</code>],
          ["Owner", apiKey.user],
          [
            "Scopes",
            <span key="scopes" className="mono">
              {apiKey.scopes.join(", ")}
            </span>,
          ],
          ["Created", <Time key="created" at={apiKey.createdAt} />],
          ["Expires", <Time key="expires" at={apiKey.expiresAt} none="never" />],
          ["Last used", <LastUse key="used" apiKey={apiKey} />],
        ]}
      />
      <KeyWrites id={apiKey.id} />
      <DialogActions>
        {may && !end && (
          <Button color="bad" variant="light" onClick={() => setRevoking(true)}>
            Revoke
          </Button>
        )}
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
      <RevokeKey apiKey={apiKey} opened={revoking} onClose={() => setRevoking(false)} />
    </>
  );
}

function LastUse({ apiKey }: { apiKey: ApiKey }) {
  return (
    <>
      <Ago at={apiKey.lastUsedAt} />
      {apiKey.lastUsedAddress && <span className="soft"> from {apiKey.lastUsedAddress}</span>}
    </>
  );
}

/** Which change ended the key, with the entry of the audit that says so. */
function WhyEnded({ apiKey, end }: { apiKey: ApiKey; end: string }) {
  const { endedBy, revokedAt, expiresAt, revokedBy } = apiKey;
  return (
    <Notice tone="bad" title="This key is refused.">
      <p>
        It ended at <Time at={revokedAt ?? expiresAt} /> because {end}
        {revokedBy && (
          <>
            , by <Actor of={revokedBy} />
          </>
        )}
        .
      </p>
      {endedBy && (
        <p>
          <a href={`/audit?act=${encodeURIComponent(endedBy.act)}&target=${encodeURIComponent(endedBy.target)}`}>
            Show the entry of the audit ({ACTS[endedBy.act] ?? endedBy.act})
          </a>
        </p>
      )}
    </Notice>
  );
}

/** The scopes of the key that the present role of its owner still allows. */
function WhyLimited({ apiKey: { ownerRole, ineffectiveScopes, user, userId } }: { apiKey: ApiKey }) {
  return (
    <Notice tone="warn" title={`Its owner is ${ROLE_NOUNS[ownerRole]} now.`}>
      <p>
        A key has the present rights of its owner at most: this one sees the devices of the groups of{" "}
        <a href={`/users/${userId}`}>{user}</a> only.
      </p>
      {ineffectiveScopes.length > 0 && (
        <p>
          Without effect: <span className="mono">{ineffectiveScopes.join(", ")}</span>. They work again once the owner
          is an administrator again; or create another key.
        </p>
      )}
    </Notice>
  );
}

const ROLE_NOUNS = { admin: "an administrator", operator: "an operator", viewer: "a viewer" } as const;

function RevokeKey({ apiKey, opened, onClose }: { apiKey: ApiKey; opened: boolean; onClose: () => void }) {
  const refresh = useRefresh();
  return (
    <Confirm
      title={`Revoke ${apiKey.name}?`}
      opened={opened}
      onClose={onClose}
      action="Revoke key"
      typed={apiKey.id}
      problem={renderProblem}
      onConfirm={async () => {
        await revokeKey(apiKey.id);
        toast(`API key ${apiKey.name} is revoked.`);
        await refresh(KEYS);
      }}
    >
      <p>
        Programs that use this key are refused at once. It cannot be restored. It was last used{" "}
        <LastUse apiKey={apiKey} />.
      </p>
    </Confirm>
  );
}
