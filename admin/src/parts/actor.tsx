import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/parts.ts";
import { actorQuery } from "../api/people/actors.ts";
import { type Operation, useSession } from "./session.ts";

interface Kind {
  label: string;
  /** Set if the service knows its name. */
  named?: true;
  /** The screen, and the operation that it needs. */
  screen: (id: string) => string;
  operation: Operation;
}

const KINDS: Readonly<Record<string, Kind>> = {
  user: { label: t.user, named: true, screen: (id) => `/users/${id}`, operation: "getUser" },
  apikey: { label: t.apiKey, named: true, screen: (id) => `/keys?key=${id}`, operation: "listKeys" },
  claim: { label: t.claim, named: true, screen: (id) => `/claims/${id}`, operation: "getClaim" },
  device: { label: t.device, named: true, screen: (id) => `/devices/${id}`, operation: "getDevice" },
  scim: { label: t.identityProvider, screen: () => "/settings", operation: "getProvisioning" },
};

const WITHOUT_ID: Readonly<Record<string, string>> = {
  system: t.theServiceOrItsShell,
  visitor: t.notSignedIn,
  provider: t.identityProvider,
};

/**
 * An actor: `user:<id>`, `apikey:<id>`, `claim:<id>`, `device:<id>`, `visitor` or `system`, by name if known, with a
 * link to its screen.
 */
export function Actor({ of }: { of: string }) {
  const { user } = useSession();
  const [kind, id] = split(of);
  if (id === undefined) return <>{WITHOUT_ID[of] ?? of}</>;
  if (of === `user:${user.id}`) return <>{t.you}</>;
  return <Named of={of} kind={kind} id={id} />;
}

function Named({ of, kind, id }: { of: string; kind: string; id: string }) {
  const { operations } = useSession();
  const known = KINDS[kind];
  const enabled = known?.named === true && operations.includes("nameActors");
  const named = useQuery({ ...actorQuery(of), enabled }).data;
  const label = known?.label ?? kind;
  if (named?.deleted) return <>{t.deleted(named.name)}</>;
  const text = named ? (
    kind === "user" ? (
      <span title={named.email ?? undefined}>{named.name}</span>
    ) : (
      `${label} ${named.name}`
    )
  ) : (
    <>
      {label} <span className="mono">{id}</span>
    </>
  );
  if (!known || !operations.includes(known.operation)) return <span>{text}</span>;
  return <a href={known.screen(encodeURIComponent(id))}>{text}</a>;
}

function split(actor: string): [kind: string, id: string | undefined] {
  const at = actor.indexOf(":");
  return at < 0 ? [actor, undefined] : [actor.slice(0, at), actor.slice(at + 1)];
}
