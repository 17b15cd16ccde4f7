import { useSession } from "./session.ts";

const KINDS: Readonly<Record<string, string>> = {
  user: "user",
  apikey: "API key",
  claim: "claim",
  device: "device",
};

/** Who did something: `user:<id>`, `apikey:<id>`, `claim:<id>`, `device:<id>` or `system`. What has a screen is a link. */
export function Actor({ of }: { of: string }) {
  const { user } = useSession();
  const [kind = "", id] = split(of);
  if (id === undefined) return <>{of === "system" ? "the service or its shell" : of}</>;
  if (kind === "user" && id === user.id) return <>you</>;
  const name = (
    <>
      {KINDS[kind] ?? kind} <span className="mono">{id}</span>
    </>
  );
  const screen = screenOf(kind, id);
  return screen ? <a href={screen}>{name}</a> : <span>{name}</span>;
}

function split(actor: string): [kind: string, id: string | undefined] {
  const at = actor.indexOf(":");
  return at < 0 ? [actor, undefined] : [actor.slice(0, at), actor.slice(at + 1)];
}

function screenOf(kind: string, id: string): string | undefined {
  if (kind === "device") return `/devices/${encodeURIComponent(id)}`;
  if (kind === "claim") return `/claims/${encodeURIComponent(id)}`;
  return kind === "apikey" ? `/keys?key=${encodeURIComponent(id)}` : undefined;
}
