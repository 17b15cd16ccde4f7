import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/session.ts";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { CodeForm } from "./code-form.tsx";
import { PasswordForm } from "./password-form.tsx";

/** Signs in with address and password, then with a code where the user has a second factor. */
export default function SignInPage() {
  const session = useQuery(sessionQuery).data;
  if (session?.factor === "required")
    return (
      <OpenFrame title="Second factor" lead={`For ${session.user.email}.`}>
        <CodeForm />
      </OpenFrame>
    );
  return (
    <OpenFrame title="Sign in">
      <PasswordForm />
      <p>
        <a href="/forgot-password">Forgot your password?</a>
      </p>
    </OpenFrame>
  );
}
