import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
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
    <OpenFrame title="Forgot your password?" lead="With a link you choose a new one.">
      <Loaded query={useQuery(setUpQuery)}>{({ mail }) => (mail ? <ByMail /> : <ByAdministrator />)}</Loaded>
      <p>
        <a href="/sign-in">Back to the sign-in</a>
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
      <Notice tone="accent" title="Look into your mail" live>
        <p>
          If {asked} is the address of a user, a link is on its way. It works once, for {LIMITS.resetLinkMinutes}{" "}
          minutes. If none comes, ask an administrator of your organization for one.
        </p>
      </Notice>
    );
  const submit = async ({ email }: typeof form.values) => {
    await forgotPassword(email.trim());
    setAsked(email.trim());
  };
  return (
    <Form form={form} action="Send the link" onSubmit={submit}>
      <TextInput label="E-mail address" type="email" autoComplete="username" autoFocus {...field("email")} />
    </Form>
  );
}

function ByAdministrator() {
  return (
    <Notice tone="accent" title="This service sends no mail">
      <p>
        An administrator of your organization makes the link: under Users, at your name, with “Reset password”, and
        hands it over to you.
      </p>
      <p>
        If you are the only administrator: on the machine of the service, <code>npx muster user reset-password</code>{" "}
        with your address prints a new password.
      </p>
    </Notice>
  );
}
