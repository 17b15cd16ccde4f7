import { useQuery } from "@tanstack/react-query";
import { settingsQuery } from "../../api/settings.ts";

const LOCAL = /^(localhost|127\..*|\[::1\])$/;

/** Says that addresses given out are of this machine only, while the service has no name that others can resolve. */
export function LocalOnly({ children }: { children: string }) {
  const baseUrl = useQuery(settingsQuery).data?.baseUrl;
  if (!baseUrl || !LOCAL.test(new URL(baseUrl).hostname)) return null;
  return (
    <p className="soft">
      {children} on the machine of the service only, because its address is <span className="mono">localhost</span>. For
      other machines, start it with <span className="mono">MUSTER_PUBLIC_HOST=&lt;its name&gt;</span>.
    </p>
  );
}
