import type { Schemas } from "../../api/client.ts";
import { localDay, plural } from "../../ui/display/format.ts";
import { Section } from "../../ui/page/page.tsx";
import "./expiry-forecast.css";

type Weeks = Schemas["Overview"]["devices"]["expiry"];

/** Devices whose last certificate ends in each of the next weeks. Self-enrolled ones renew by themselves; bundles do not. */
export function ExpiryForecast({ weeks }: { weeks: Weeks }) {
  const most = Math.max(1, ...weeks.map(({ selfEnrolled, platform }) => selfEnrolled + platform));
  const bundles = weeks.reduce((sum, { platform }) => sum + platform, 0);
  return (
    <Section
      title="Certificates that end in the next twelve weeks"
      lead={`Self-enrolled certificates are renewed by their devices.${bundles > 0 ? ` ${plural(bundles, "bundle")} must be replaced by hand.` : ""}`}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it on a phone */}
      <ol className="forecast" tabIndex={0}>
        {weeks.map(({ from, selfEnrolled, platform }) => (
          <li key={from}>
            <span className="forecast-bars" aria-hidden="true">
              <Bar kind="platform" share={platform / most} />
              <Bar kind="self" share={selfEnrolled / most} />
            </span>
            <span className="forecast-count">
              {selfEnrolled + platform}
              <span className="hidden-text">
                {" "}
                from {localDay(from)}, {platform} of them bundles
              </span>
            </span>
            <span className="forecast-week" aria-hidden="true">
              {new Date(from).toLocaleDateString(undefined, { day: "numeric", month: "short" })}
            </span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Bar({ kind, share }: { kind: "platform" | "self"; share: number }) {
  return <span className={`forecast-${kind}`} style={{ height: `${share * 100}%` }} />;
}
