import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ApiKey, createKey, KEYS, keysQuery, keyWritesQuery, revokeKey } from "../../api/keys.ts";
import { filled } from "../../api/queries.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Actor } from "../../parts/actor.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Records } from "../../parts/list/records.tsx";
import { WRITE_COLUMNS } from "../../parts/list/write-columns.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { useMay, useSession } from "../../parts/session.ts";
import { useListState, useUrlState } from "../../parts/url-state.ts";
import {
  Action,
  Ago,
  type Column,
  CopyBlock,
  Dialog,
  DialogActions,
  Empty,
  Facts,
  type Filter,
  Notice,
  Page,
  Pager,
  Secret,
  Section,
  ShownOnce,
  Status,
  Table,
  Time,
  useNow,
  useOpens,
} from "../../ui/ui.ts";
import { ACTS } from "../../words/acts.ts";
import { endOfKey, stateOfKey } from "../../words/keys.ts";
import { useBroker } from "../connect/use-broker.ts";
import { requestFor } from "./request-for.ts";
import { ScopeMatrix } from "./scope-matrix.tsx";

const STATES = { active: "active", ended: "ended" } as const;
const FILTERS: readonly Filter[] = [{ kind: "choice", name: "state", label: "State", options: Object.entries(STATES) }];
const COLUMNS: readonly Column<ApiKey>[] = [
  { title: "Name", main: true, cell: ({ name }) => name },
  { title: "State", cell: (key) => <State apiKey={key} /> },
  { title: "Scopes", cell: ({ scopes }) => <span className="mono">{scopes.join(", ")}</span> },
  { title: "Owner", cell: ({ user }) => user },
  { title: "Last used", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  { title: "Expires", cell: ({ expiresAt }) => <Time at={expiresAt} none="never" /> },
];

export default function KeysPage() {
  const list = useListState();
  const { state, userId } = list.values;
  const asked = { state: state as keyof typeof STATES | undefined, userId };
  const query = useQuery(keysQuery({ ...asked, skip: list.skip }));
  const [{ key: shown }, setUrl] = useUrlState();
  const [button, dialog] = useOpens({
    main: true,
    label: "Create API key",
    title: "Create an API key",
    wide: true,
    children: (close) => <CreateKey onClose={close} />,
  });
  const create = useMay("createKey") && button;
  return (
    <Page
      title="API keys"
      lead="With an API key, a program uses the public API in the name of the administrator who made it."
      actions={create}
    >
      <Records
        label="API keys"
        of="API key"
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
          <Empty title="There is no API key yet." action={create}>
            A program needs one to call the public API.
          </Empty>
        }
      >
        {userId !== undefined && (
          <p>
            Only keys of one user. <a href="/keys">Show all</a>
          </p>
        )}
      </Records>
      {dialog}
      <KeyDialog apiKey={query.data?.items.find(({ id }) => id === shown)} onClose={() => setUrl({ key: undefined })} />
    </Page>
  );
}

function State({ apiKey }: { apiKey: ApiKey }) {
  return <Status plain of={stateOfKey(apiKey, useNow())} />;
}

/** The choices for the lifetime of a key, in days. */
const LIVES = [
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
  { value: "", label: "never" },
];

/** Creates a key and shows it once, with a request that uses it. */
function CreateKey({ onClose }: { onClose: () => void }) {
  const { user } = useSession();
  const { baseUrl, caPem } = useBroker();
  const [made, setMade] = useState<{ key: string; scopes: readonly string[] }>();
  const [form, field] = useFields({ name: "", expiresInDays: "90", scopes: [] as string[] }, "createKey", {
    scopes: (scopes) => (scopes.length === 0 ? "Choose at least one scope." : null),
  });
  const submit = async ({ name, expiresInDays, scopes }: typeof form.values) => {
    const days = expiresInDays === "" ? {} : { expiresInDays: Number(expiresInDays) };
    const { key } = await createKey({ name, scopes, ...days });
    setMade({ key, scopes });
  };
  if (made)
    return (
      <ShownOnce title="The new API key" done="I have copied it" onDone={onClose}>
        <Secret label="API key" value={made.key} />
        <CopyBlock label="Try it">
          {requestFor(made.key, made.scopes, { origin: baseUrl ?? location.origin, caPem })}
        </CopyBlock>
        <p className="soft">
          Operations and errors are in the{" "}
          <a href="/docs/api" target="_blank" rel="noreferrer">
            API reference
          </a>
          .
        </p>
      </ShownOnce>
    );
  return (
    <Form form={form} onSubmit={submit} action="Create API key" onCancel={onClose} refreshes={[KEYS]}>
      <TextInput label="Name" placeholder="Dashboard" data-autofocus {...field("name")} />
      <NativeSelect label="Expires" data={LIVES} {...field("expiresInDays")} />
      <ScopeMatrix {...field("scopes")} />
      <p className="soft">
        The key is yours: it ends when the account {user.email} is deactivated or deleted, or has its password reset.
      </p>
    </Form>
  );
}

/** A key: what it may do, why it ended, what was written with it. */
function KeyDialog({ apiKey, onClose }: { apiKey: ApiKey | undefined; onClose: () => void }) {
  return (
    <Dialog title={apiKey?.name ?? "API key"} wide opened={apiKey !== undefined} onClose={onClose}>
      {apiKey && <Content apiKey={apiKey} onClose={onClose} />}
    </Dialog>
  );
}

function Content({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const end = endOfKey(apiKey, useNow());
  const may = useMay("revokeKey");
  const facts = {
    "Key id": <code>{apiKey.id}</code>,
    Owner: apiKey.user,
    Scopes: <span className="mono">{apiKey.scopes.join(", ")}</span>,
    Created: <Time at={apiKey.createdAt} />,
    Expires: <Time at={apiKey.expiresAt} none="never" />,
    "Last used": <LastUse apiKey={apiKey} />,
  };
  return (
    <>
      {end && <WhyEnded apiKey={apiKey} end={end} />}
      {!end && apiKey.ownerRole !== "admin" && <WhyLimited apiKey={apiKey} />}
      <Facts facts={facts} />
      <Writes id={apiKey.id} />
      <DialogActions>
        {may && !end && <RevokeKey apiKey={apiKey} />}
        <Action label="Close" onClick={onClose} />
      </DialogActions>
    </>
  );
}

function LastUse({ apiKey: { lastUsedAt, lastUsedAddress } }: { apiKey: ApiKey }) {
  return (
    <>
      <Ago at={lastUsedAt} />
      {lastUsedAddress && <span className="soft"> from {lastUsedAddress}</span>}
    </>
  );
}

/** Names the change that ended the key, with the entry of the audit that records it. */
function WhyEnded({ apiKey: { endedBy, revokedAt, expiresAt, revokedBy }, end }: { apiKey: ApiKey; end: string }) {
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

const ROLE_NOUNS = { admin: "an administrator", operator: "an operator", viewer: "a viewer" } as const;

/** Lists the scopes that the present role of the owner no longer allows. */
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

function RevokeKey({ apiKey }: { apiKey: ApiKey }) {
  return (
    <Asks
      danger
      label="Revoke"
      title={`Revoke ${apiKey.name}?`}
      action="Revoke key"
      typed={apiKey.id}
      run={() => revokeKey(apiKey.id)}
      done={`API key ${apiKey.name} is revoked.`}
      refreshes={[KEYS]}
    >
      <p>
        Programs that use this key are refused at once. It cannot be restored. It was last used{" "}
        <LastUse apiKey={apiKey} />.
      </p>
    </Asks>
  );
}

function Writes({ id }: { id: string }) {
  const [skip, setSkip] = useState(0);
  return (
    <Section title="Written with it">
      <Loaded query={useQuery(keyWritesQuery(id, skip))}>
        {(page) => (
          <>
            <Table
              label="Written with it"
              rows={page.items}
              empty={<p className="soft">Nothing was written with this key. Reads are not recorded.</p>}
              columns={[
                ...WRITE_COLUMNS,
                { title: "From", cell: ({ address }) => address ?? "–" },
                { title: "When", cell: ({ at }) => <Time at={at} /> },
              ]}
            />
            <Pager page={page} of="write" onSkip={setSkip} />
          </>
        )}
      </Loaded>
    </Section>
  );
}
