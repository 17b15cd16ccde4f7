import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/access/service-accounts.ts";
import { KEYS } from "../../api/keys.ts";
import {
  deleteServiceAccount,
  SERVICE_ACCOUNTS,
  type ServiceAccount,
  serviceAccountsQuery,
  updateServiceAccount,
} from "../../api/people/service-accounts.ts";
import { Asks } from "../../parts/act/confirm.tsx";
import { Records } from "../../parts/list/records.tsx";
import { useMay } from "../../parts/session.ts";
import { useListState } from "../../parts/url-state.ts";
import { Ago, type Column, Empty, Opens, Page, Status, useOpens } from "../../ui/ui.ts";
import { ROLES } from "../../words/roles.ts";
import { CreateAccount, EditAccount } from "./account-form.tsx";

const CreateKey = lazy(() => import("../keys/create-key.tsx"));

const COLUMNS: readonly Column<ServiceAccount>[] = [
  { title: common.name, main: true, cell: ({ name }) => name },
  { title: common.role, cell: ({ role }) => ROLES[role] },
  {
    title: common.state,
    cell: ({ status }) => <Status plain of={status === "active" ? ["good", t.active] : ["bad", t.deactivated]} />,
  },
  { title: t.contact, cell: ({ contact }) => <Contact of={contact} /> },
  { title: t.ends, cell: ({ endsAt }) => <Ago at={endsAt} /> },
  { title: common.apiKeys, cell: ({ id }) => <a href={`/keys?userId=${id}`}>{t.show}</a> },
  { title: common.actions, cell: (account) => <Acts account={account} /> },
];

export default function ServiceAccountsPage() {
  const list = useListState();
  const [button, dialog] = useOpens({
    main: true,
    label: t.createAccount,
    title: t.createAServiceAccount,
    children: (close) => <CreateAccount onClose={close} />,
  });
  const create = useMay("createServiceAccount") && button;
  return (
    <Page title={t.serviceAccounts} lead={t.usersThatCannotSignIn} actions={create}>
      <Records
        label={t.serviceAccounts}
        of={nouns.serviceAccount}
        list={list}
        query={useQuery(serviceAccountsQuery(list.skip))}
        columns={COLUMNS}
        empty={
          <Empty title={t.thereIsNoServiceAccount} action={create}>
            {t.createOneForEachProgram}
          </Empty>
        }
      />
      {dialog}
    </Page>
  );
}

function Contact({ of: { email, active } }: { of: ServiceAccount["contact"] }) {
  return active ? <span className="address">{email}</span> : <Status plain of={["warn", t.isGone(email)]} />;
}

const ACT = { small: true, refreshes: [SERVICE_ACCOUNTS, KEYS] };

function Acts({ account }: { account: ServiceAccount }) {
  const { id, name, status } = account;
  const [mayChange, mayDelete, mayCreateKey] = [
    useMay("updateServiceAccount"),
    useMay("deleteServiceAccount"),
    useMay("createKey"),
  ];
  return (
    <span className="row">
      {mayCreateKey && status === "active" && (
        <Opens small wide label={t.createKey} title={t.createAKeyOf(name)}>
          {(close) => (
            <Suspense fallback={null}>
              <CreateKey onClose={close} account={account} />
            </Suspense>
          )}
        </Opens>
      )}
      {mayChange && (
        <Opens small label={t.edit} title={t.editAccount(name)}>
          {(close) => <EditAccount id={id} onClose={close} />}
        </Opens>
      )}
      {mayChange && <ChangesStatus account={account} />}
      {mayDelete && (
        <Asks
          {...ACT}
          danger
          label={common.delete}
          title={t.deleteAccount(name)}
          action={t.deleteServiceAccount}
          typed={name}
          run={() => deleteServiceAccount(id)}
          done={t.isDeleted(name)}
        >
          <p>{t.itsKeysAreRefusedAtOnce}</p>
        </Asks>
      )}
    </span>
  );
}

function ChangesStatus({ account: { id, name, status } }: { account: ServiceAccount }) {
  if (status === "active")
    return (
      <Asks
        {...ACT}
        label={t.deactivate}
        title={t.deactivateAccount(name)}
        action={t.deactivateServiceAccount}
        run={() => updateServiceAccount(id, undefined, { status: "deactivated" })}
        done={t.isDeactivated(name)}
      >
        <p>{t.itsKeysAreRefusedAtOnce}</p>
      </Asks>
    );
  return (
    <Asks
      {...ACT}
      harmless
      label={t.reactivate}
      title={t.reactivateAccount(name)}
      action={t.reactivateServiceAccount}
      run={() => updateServiceAccount(id, undefined, { status: "active" })}
      done={t.isReactivated(name)}
    >
      <p>{t.revokedKeysStayRevoked}</p>
    </Asks>
  );
}
