import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t as rotation } from "#texts/pages/access/rotation.ts";
import { t } from "#texts/pages/keys.ts";
import { type ApiKey, KEYS, keysQuery, keyWritesQuery, revokeKey } from "../../api/keys.ts";
import { filled } from "../../api/queries.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { Records } from "../../parts/list/records.tsx";
import { WRITE_COLUMNS } from "../../parts/list/write-columns.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import {
  Action,
  Ago,
  type Column,
  Dialog,
  DialogActions,
  Empty,
  Facts,
  type Filter,
  Notice,
  Opens,
  Page,
  Pager,
  Section,
  Status,
  Table,
  Time,
  useNow,
  useOpens,
} from "../../ui/ui.ts";
import { ACTS } from "../../words/acts.ts";
import { endOfKey, stateOfKey } from "../../words/keys.ts";
import { RotateKey } from "./rotate-key.tsx";

/** Two screens have this form: apart, it is not loaded with every screen. */
const CreateKey = lazy(() => import("./create-key.tsx"));

const STATES = { active: common.states.active, ended: common.states.ended } as const;
const FILTERS: readonly Filter[] = [
  { kind: "choice", name: "state", label: common.state, options: Object.entries(STATES) },
];
const COLUMNS: readonly Column<ApiKey>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  { title: common.state, cell: (key) => <State apiKey={key} /> },
  { title: t.scopes, cell: ({ scopes }) => <span className="mono">{scopes.join(", ")}</span> },
  { title: t.owner, cell: ({ user }) => user },
  { title: common.lastUsed, cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  { title: common.expires, cell: ({ expiresAt }) => <Time at={expiresAt} none={t.never} /> },
];

export default function KeysPage() {
  const list = useListState();
  const { state, userId } = list.values;
  const asked = { state: state as keyof typeof STATES | undefined, userId };
  const query = useQuery(keysQuery({ ...asked, skip: list.skip }));
  const [{ key: shown }, setUrl] = useUrlState();
  const [button, dialog] = useOpens({
    main: true,
    label: t.createApiKey,
    title: t.createAnApiKey,
    wide: true,
    children: (close) => (
      <Suspense fallback={null}>
        <CreateKey onClose={close} />
      </Suspense>
    ),
  });
  const create = useMay("createKey") && button;
  return (
    <Page title={common.apiKeys} lead={t.withAnApiKeyA} actions={create}>
      <Records
        label={common.apiKeys}
        of={nouns.apiKey}
        list={list}
        filters={FILTERS}
        narrowedBy={["userId"]}
        query={query}
        columns={COLUMNS}
        href={({ id }) =>
          `/keys?${new URLSearchParams({ ...(filled(list.values) as Record<string, string>), key: id })}`
        }
        csv={[KEYS, asked]}
        empty={
          <Empty title={t.thereIsNoApiKey} action={create}>
            {t.aProgramNeedsOneTo}
          </Empty>
        }
      >
        {userId !== undefined && <p>{t.onlyKeysOfOneUser(<a href="/keys">{t.showAll}</a>)}</p>}
      </Records>
      {dialog}
      <KeyDialog apiKey={query.data?.items.find(({ id }) => id === shown)} onClose={() => setUrl({ key: undefined })} />
    </Page>
  );
}

function State({ apiKey }: { apiKey: ApiKey }) {
  return <Status plain of={stateOfKey(apiKey, useNow())} />;
}

/** A key: what it may do, why it ended, what was written with it. */
function KeyDialog({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  return (
    <Dialog title={apiKey?.name ?? t.apiKey} wide opened={apiKey !== undefined} onClose={onClose}>
      {apiKey && <Content apiKey={apiKey} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const end = endOfKey(apiKey, useNow());
  const [may, mayRotate] = [useMay("revokeKey"), useMay("rotateKey")];
  const facts = {
    [t.keyId]: <code>{apiKey.id}</code>,
    [t.owner]: apiKey.user,
    [t.scopes]: <span className="mono">{apiKey.scopes.join(", ")}</span>,
    [common.created]: <Time at={apiKey.createdAt} />,
    [common.expires]: <Time at={apiKey.expiresAt} none={t.never} />,
    [common.lastUsed]: <LastUse apiKey={apiKey} />,
    ...(apiKey.replaces && { [rotation.replaces]: <KeyLink id={apiKey.replaces} /> }),
    ...(apiKey.replacedBy && { [rotation.replacedBy]: <KeyLink id={apiKey.replacedBy} /> }),
  };
  return (
    <>
      {end && <WhyEnded apiKey={apiKey} end={end} />}
      {!end && limits(apiKey) && <WhyLimited apiKey={apiKey} />}
      <Facts facts={facts} />
      <Writes id={apiKey.id} />
      <DialogActions>
        {mayRotate && !end && !apiKey.replacedBy && (
          <Opens label={rotation.rotateKey} title={rotation.rotateTheKey(apiKey.name)}>
            {(close) => <RotateKey apiKey={apiKey} onClose={close} />}
          </Opens>
        )}
        {may && !end && <RevokeKey apiKey={apiKey} />}
        <Action label={common.close} onClick={onClose} />
      </DialogActions>
    </>
  );
}

function KeyLink({ id }: { id: string }) {
  return (
    <a href={`/keys?key=${id}`}>
      <code>{id}</code>
    </a>
  );
}

function LastUse({ apiKey: { lastUsedAt, lastUsedAddress } }: { apiKey: ApiKey }) {
  return (
    <>
      <Ago at={lastUsedAt} />
      {lastUsedAddress && <span className="soft">{t.from(lastUsedAddress)}</span>}
    </>
  );
}

/** Names the change that ended the key, with the entry of the audit that records it. */
function WhyEnded({ apiKey: { endedBy, revokedAt, expiresAt, revokedBy }, end }: { apiKey: ApiKey; end: string }) {
  return (
    <Notice tone="bad" title={t.thisKeyIsRefused}>
      <p>
        {t.itEndedAtBecause(<Time at={revokedAt ?? expiresAt} />, end)}
        {revokedBy && <>{t.by(<Actor of={revokedBy} />)}</>}.
      </p>
      {endedBy && (
        <p>
          <a href={`/audit?act=${encodeURIComponent(endedBy.act)}&target=${encodeURIComponent(endedBy.target)}`}>
            {t.showTheEntryOfThe(ACTS[endedBy.act] ?? endedBy.act)}
          </a>
        </p>
      )}
    </Notice>
  );
}

/** Tells whether the role of the owner limits a key; a service account was given its role. */
function limits({ ownerKind, ownerRole, ineffectiveScopes }: ApiKey): boolean {
  return ownerRole !== "admin" && (ownerKind === "person" || ineffectiveScopes.length > 0);
}

const ROLE_NOUNS = { admin: t.anAdministrator, operator: t.anOperator, viewer: t.aViewer } as const;

/** Lists the scopes that the present role of the owner no longer allows. */
function WhyLimited({ apiKey: { ownerKind, ownerRole, ineffectiveScopes, user, userId } }: { apiKey: ApiKey }) {
  return (
    <Notice tone="warn" title={t.itsOwnerIsNow(ROLE_NOUNS[ownerRole])}>
      <p>
        {t.aKeyHasThePresent}
        {t.only(<a href={ownerKind === "person" ? `/users/${userId}` : "/service-accounts"}>{user}</a>)}
      </p>
      {ineffectiveScopes.length > 0 && (
        <p>{t.withoutEffectTheyWorkAgain(<span className="mono">{ineffectiveScopes.join(", ")}</span>)}</p>
      )}
    </Notice>
  );
}

function RevokeKey({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Asks
      danger
      label={common.revoke}
      title={t.revoke(apiKey.name)}
      action={t.revokeKey}
      typed={apiKey.id}
      run={() => revokeKey(apiKey.id)}
      done={t.apiKeyIsRevoked(apiKey.name)}
      refreshes={[KEYS]}
    >
      <p>
        {t.programsThatUseThisKey}
        <LastUse apiKey={apiKey} />.
      </p>
    </Asks>
  );
}

function Writes({ id }: { id: string }) {
  const [skip, setSkip] = useState(0);
  return (
    <Section title={t.writtenWithIt}>
      <Loaded query={useQuery(keyWritesQuery(id, skip))}>
        {(page) => (
          <>
            <Table
              label={t.writtenWithIt}
              rows={page.items}
              empty={<p className="soft">{t.nothingWasWrittenWithThis}</p>}
              columns={[
                ...WRITE_COLUMNS,
                { title: common.from, cell: ({ address }) => address ?? "–" },
                { title: common.when, cell: ({ at }) => <Time at={at} /> },
              ]}
            />
            <Pager page={page} of={nouns.write} onSkip={setSkip} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
