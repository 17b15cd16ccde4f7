import { useRouter } from "@tanstack/react-router";
import { t } from "#texts/pages/sign-in.ts";
import { resetPassword } from "../../api/people/invites.ts";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { toast } from "../../parts/toasts.tsx";
import { NewPasswordForm, useLinkToken } from "./new-password-form.tsx";

export default function ResetPage() {
  const token = useLinkToken();
  const router = useRouter();
  return (
    <OpenFrame title={t.chooseANewPassword} lead={t.yourSessionsEndAndYour}>
      <NewPasswordForm
        action={t.setPassword}
        onSubmit={async (password) => {
          await resetPassword(token, password);
          toast(t.thePasswordIsSetSign);
          await router.navigate({ to: "/sign-in" });
        }}
      />
      <p>
        <a href="/forgot-password">{t.askForAnotherLink}</a>
      </p>
    </OpenFrame>
  );
}
