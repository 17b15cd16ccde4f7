import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../api/session.ts";
import { setUpQuery } from "../../api/setup.ts";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { Notice } from "../../ui/display/status.tsx";
import { CodeForm } from "./code-form.tsx";
import { PasswordForm } from "./password-form.tsx";

/** Signs in with address and password, then with a code where the user has a second factor. */
export default function SignInPage() {
  const session = useQuery(sessionQuery).data;
  const isSetUp = useQuery(setUpQuery).data?.open !== true;
  if (session?.factor === "required")
    return (
      <OpenFrame title="Second factor" lead={`For ${session.user.email}.`}>
        <CodeForm />
      </OpenFrame>
    );
  if (!isSetUp) return <NotSetUp />;
  return (
    <OpenFrame title="Sign in">
      <PasswordForm />
      <p>
        <a href="/forgot-password">Forgot your password?</a>
      </p>
    </OpenFrame>
  );
}

/** A service without users, where a sign-in can only fail. */
function NotSetUp() {
  return (
    <OpenFrame title="Not set up yet" lead="This service has no users yet: the set-up makes the first one.">
      <Notice tone="accent" title="Open the set-up link">
        <p>
          The service printed it at its start, in the terminal of <code>npm start</code>. Without a terminal, it is in
          the file <code>setup-link</code> of the data folder. On the machine of the service,{" "}
          <code>npx muster setup-link</code> makes another.
        </p>
      </Notice>
    </OpenFrame>
  );
}
