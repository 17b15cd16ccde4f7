import { useMantineColorScheme } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { endSession } from "../../api/session.ts";
import { ROLES } from "../../words/roles.ts";
import { asProblem, sentence } from "../problem-box.tsx";
import { useSession } from "../session.ts";
import { toast } from "../toasts.tsx";
import "./user-menu.css";

const SCHEMES = [
  ["auto", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;

/** Who is signed in, the account, the colours, signing out. */
export function UserMenu() {
  const { user } = useSession();
  const { pathname } = useLocation();
  const panel = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a navigation closes it
  useEffect(() => panel.current?.hidePopover(), [pathname]);
  return (
    <>
      <button type="button" className="user-button" popoverTarget="user-menu" aria-label={`Account of ${user.email}`}>
        {user.email.charAt(0).toUpperCase()}
      </button>
      <div ref={panel} id="user-menu" className="user-menu" popover="auto">
        <Content />
      </div>
    </>
  );
}

function Content() {
  const { user, tenant } = useSession();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useSignOut();
  return (
    <>
      <p>
        <strong>{user.email}</strong>
        <br />
        <span className="soft">
          {ROLES[user.role]} of {tenant.name}
        </span>
      </p>

      <a href="/account">Account and sessions</a>
      <a href="/docs/api" target="_blank" rel="noreferrer">
        API reference
      </a>
      <fieldset className="user-schemes">
        <legend>Colours</legend>
        {SCHEMES.map(([scheme, label]) => (
          <button
            key={scheme}
            type="button"
            aria-pressed={colorScheme === scheme}
            onClick={() => setColorScheme(scheme)}
          >
            {label}
          </button>
        ))}
      </fieldset>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </>
  );
}

function useSignOut(): () => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async () => {
    try {
      await endSession(queries);
      await router.navigate({ to: "/sign-in" });
    } catch (error) {
      toast(sentence(asProblem(error).message));
    }
  };
}
