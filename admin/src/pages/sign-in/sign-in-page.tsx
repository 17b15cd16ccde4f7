import { OpenFrame } from "../../parts/open-frame.tsx";
import { PasswordForm } from "./password-form.tsx";

/** Signs in with address and password. */
export default function SignInPage() {
  return (
    <OpenFrame title="Sign in">
      <PasswordForm />
      <p>
        <a href="/forgot-password">Forgot your password?</a>
      </p>
    </OpenFrame>
  );
}
