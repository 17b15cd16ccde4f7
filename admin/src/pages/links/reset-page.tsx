import { useRouter } from "@tanstack/react-router";
import { resetPassword } from "../../api/people/invites.ts";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { toast } from "../../parts/toasts.tsx";
import { NewPasswordForm, useLinkToken } from "./new-password-form.tsx";

export default function ResetPage() {
  const token = useLinkToken();
  const router = useRouter();
  return (
    <OpenFrame
      title="Choose a new password"
      lead="Your sessions end, and your API keys are revoked: programs that use them stop."
    >
      <NewPasswordForm
        action="Set password"
        onSubmit={async (password) => {
          await resetPassword(token, password);
          toast("The password is set. Sign in with it.");
          await router.navigate({ to: "/sign-in" });
        }}
      />
      <p>
        <a href="/forgot-password">Ask for another link</a>
      </p>
    </OpenFrame>
  );
}
