import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/settings/single-sign-on.ts";
import { type SignInName, showSignInMethods, startProviderSignIn } from "../../api/people/provider-sign-in.ts";
import { Runs } from "../../parts/act/use-act.tsx";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { LinkButton } from "../../ui/ui.ts";
import { PasswordForm } from "./password-form.tsx";
import { keepWanted } from "./wanted.ts";

/** Asks for the address, then offers the ways to sign in. An address with `?tenant=` leads to them immediately. */
export default function FirstName() {
  const { tenant, next } = useSearch({ strict: false }) as { tenant?: unknown; next?: unknown };
  const [named, setNamed] = useState<SignInName | undefined>(
    tenant === undefined ? undefined : { tenant: String(tenant) },
  );
  const [form, field] = useFields({ email: "" }, "signIn");
  if (named) return <Ways named={named} next={next} onBack={() => setNamed(undefined)} />;
  return (
    <Form form={form} onSubmit={async ({ email }) => setNamed({ email: email.trim() })} action={t.next}>
      <TextInput label={common.eMailAddress} type="email" autoComplete="username" autoFocus {...field("email")} />
    </Form>
  );
}

/** The ways in which a person can sign in. */
function Ways({ named, next, onBack }: { named: SignInName; next: unknown; onBack: () => void }) {
  const methods = useQuery({ queryKey: ["sign-in-methods", named], queryFn: () => showSignInMethods(named) });
  const [byPassword, setByPassword] = useState(false);
  return (
    <>
      <Loaded query={methods}>
        {({ provider, password }) => (
          <>
            {provider && !byPassword && (
              <>
                <Runs
                  main
                  label={t.signInAt(provider.name)}
                  run={async () => {
                    const { url } = await startProviderSignIn(named);
                    keepWanted(next);
                    location.assign(url);
                  }}
                />
                {!password && <p className="soft">{t.passwordsAreNotAccepted}</p>}
                {password && <LinkButton onClick={() => setByPassword(true)}>{t.useAPassword}</LinkButton>}
              </>
            )}
            {(!provider || byPassword) && <PasswordForm email={named.email} />}
          </>
        )}
      </Loaded>
      <LinkButton onClick={onBack}>{t.anotherAddress}</LinkButton>
    </>
  );
}
