import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { setUpQuery } from "../../api/setup.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { OpenFrame } from "../../parts/open-frame.tsx";
import { Notice } from "../../ui/display/status.tsx";
import { SetupForm } from "./setup-form.tsx";

/** The first page of a new service: its tenant and its first administrator. The token stands after `#`, which browsers do not send. */
export default function SetupPage() {
  const [token] = useState(() => location.hash.slice(1));
  return (
    <OpenFrame title="Set up Muster" lead="Your organization and your own account, the first administrator.">
      <Loaded query={useQuery(setUpQuery)}>
        {({ open }) => {
          if (!open)
            return (
              <Notice tone="accent" title="The service is set up">
                <a href="/sign-in">Sign in</a>
              </Notice>
            );
          if (token === "")
            return (
              <Notice tone="warn" title="The link is incomplete">
                <p>
                  Open the whole link that the service made at its start, with the part after <code>#</code>. On the
                  machine of the service, <code>npx muster setup-link</code> makes another.
                </p>
              </Notice>
            );
          return <SetupForm token={token} />;
        }}
      </Loaded>
    </OpenFrame>
  );
}
