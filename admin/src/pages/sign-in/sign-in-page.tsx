import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/sign-in.ts";
import { api, must } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import { endSession, forgetSession, sessionQuery } from "../../api/session.ts";
import { setUpQuery } from "../../api/setup.ts";
import { useEnter } from "../../parts/enter.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { CodeField } from "../../parts/step-up/code-field.tsx";
import { toast } from "../../parts/toasts.tsx";
import { LinkButton, Notice } from "../../ui/ui.ts";
import { PasswordForm } from "./password-form.tsx";

/** Signs in with address and password, then with a code for a user who has a second factor. */
export default function SignInPage() {
  const session = useQuery(sessionQuery).data;
  const { data: state, isPending } = useQuery(setUpQuery);
  const isSetUp = state?.open !== true;
  const offersProviders = state?.singleSignOn === true;
  if (session?.factor === "required")
    return (
      <OpenFrame title={common.secondFactor} lead={t.for(session.user.email)}>
        <GivenFactor kinds={session.factorKinds} />
      </OpenFrame>
    );
  if (!isSetUp) return <NotSetUp />;
  // A form that another one replaced would lose what was typed into it.
  if (isPending) return <OpenFrame title={t.signIn2}>{null}</OpenFrame>;
  return (
    <OpenFrame title={t.signIn2}>
      {offersProviders ? <FirstName /> : <PasswordForm />}
      <Suspense fallback={null}>
        <PasskeySignIn />
      </Suspense>
    </OpenFrame>
  );
}

/** A service without users, where a sign-in can only fail. */
function NotSetUp() {
  return (
    <OpenFrame title={t.notSetUpYet} lead={t.thisServiceHasNoUsers}>
      <Notice tone="accent" title={t.openTheSetUpLink}>
        <p>
          {t.theServicePrintedItAt(<code>npm start</code>, <code>setup-link</code>)}
          {t.makesAnother(<code>npx muster setup-link</code>)}
        </p>
      </Notice>
    </OpenFrame>
  );
}

/** Asks for the address first, because its domain may belong to a provider. Only services with providers load it. */
const FirstName = lazy(() => import("./first-name.tsx"));

const PasskeySignIn = lazy(() => import("../../parts/passkeys/passkey-sign-in.tsx"));
const PasskeyFactor = lazy(() => import("../../parts/passkeys/passkey-factor.tsx"));

/** Asks for the second factor, which completes the sign-in: a passkey, or a code. */
function GivenFactor({ kinds }: { kinds: readonly string[] }) {
  return (
    <>
      {kinds.includes("passkey") && (
        <Suspense fallback={null}>
          <PasskeyFactor />
        </Suspense>
      )}
      <CodeForm withoutApp={!kinds.includes("app")} />
    </>
  );
}

/** Asks for a code of the authenticator app, or a recovery code. */
function CodeForm({ withoutApp }: { withoutApp: boolean }) {
  const enter = useEnter();
  const queries = useQueryClient();
  const [form, field] = useFields({ code: "" }, "giveFactor");
  const submit = async ({ code }: { code: string }) => {
    try {
      await enter(await must(api.POST("/api/admin/session/factor", { body: { code } })));
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== "session_required") throw error;
      await forgetSession(queries);
      toast(t.theSignInTookToo);
    }
  };
  return (
    <>
      <Form form={form} onSubmit={submit} action={t.signIn2}>
        <CodeField withoutApp={withoutApp} autoFocus={!withoutApp} value={form.values.code} {...field("code")} />
      </Form>
      <LinkButton onClick={() => void endSession(queries)}>{t.signInAsAnotherUser}</LinkButton>
    </>
  );
}
