import { useQuery } from "@tanstack/react-query";
import { ownNotificationsQuery } from "../../../api/people/own-notifications.ts";
import { Loaded } from "../../../parts/loaded.tsx";
import { Section } from "../../../ui/page/page.tsx";
import { OwnChannels } from "./own-channels.tsx";
import { QuietChoices } from "./quiet-choices.tsx";

/** Where and when the signed-in user is notified. */
export function OwnNotificationSections() {
  const query = useQuery(ownNotificationsQuery);
  return (
    <>
      <Section
        title="Your channels"
        lead="Where your messages go besides the address of your account. Each is confirmed before it is used."
      >
        <Loaded query={query}>{(own) => <OwnChannels own={own} />}</Loaded>
      </Section>
      <Section
        title="Quiet choices"
        lead="When you want no pages. A group decides which of its pages are always sent: those of critical anomalies, if nothing else is set."
      >
        <Loaded query={query}>{(own) => <QuietChoices own={own} />}</Loaded>
      </Section>
    </>
  );
}
