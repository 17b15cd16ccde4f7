import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { common } from "#texts/common.ts";
import { t } from "#texts/pages/sign-in.ts";
import { LIMITS } from "../../api/limits.ts";
import { forgotPassword } from "../../api/people/invites.ts";
import { setUpQuery } from "../../api/setup.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { Notice } from "../../ui/ui.ts";

/** Helps a user without the password: a link by mail, or the advice to ask an administrator. */
export default function ForgotPasswordPage() {
  return (
    <OpenFrame title={t.forgotYourPassword} lead={t.withALinkYouChoose}>
      <Loaded query={useQuery(setUpQuery)}>{({ mail }) => (mail ? <ByMail /> : <ByAdministrator />)}</Loaded>
      <p>
        <a href="/sign-in">{t.backToTheSignIn}</a>
      </p>
    </OpenFrame>
  );
}

/** Asks for the address. The text is the same for every address, whether or not it belongs to a user. */
function ByMail() {
  const [asked, setAsked] = useState<string>();
  const [form, field] = useFields({ email: "" }, "forgotPassword");
  if (asked !== undefined)
    return (
      <Notice tone="accent" title={t.lookIntoYourMail} live>
        <p>
          {t.ifIsTheAddressOf(asked, LIMITS.resetLinkMinutes)}
          {t.minutesIfNoneComesAsk}
        </p>
      </Notice>
    );
  const submit = async ({ email }: typeof form.values) => {
    await forgotPassword(email.trim());
    setAsked(email.trim());
  };
  return (
    <Form form={form} action={t.sendTheLink} onSubmit={submit}>
      <TextInput label={common.eMailAddress} type="email" autoComplete="username" autoFocus {...field("email")} />
    </Form>
  );
}

function ByAdministrator() {
  return (
    <Notice tone="accent" title={t.thisServiceSendsNoMail}>
      <p>{t.anAdministratorOfYourOrganization}</p>
      <p>
        {t.ifYouAreTheOnly(<code>npx muster user reset-password</code>)}
        {t.withYourAddressPrintsA}
      </p>
    </Notice>
  );
}
