import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/guides.ts";
import { devicesQuery } from "../../api/devices.ts";
import { deliveriesQuery } from "../../api/monitoring/deliveries.ts";
import { thresholdChoicesQuery } from "../../api/monitoring/thresholds.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { Panel, Section, type Step, Steps } from "../../ui/ui.ts";

/** The steps from the first device to the first page that has reached a person; absent once it has. */
export function PagingGuide() {
  const groups = useQuery(groupChoicesQuery()).data?.items;
  const packs = useQuery(thresholdChoicesQuery).data;
  const inGroups = useQuery(devicesQuery({ limit: 200 })).data?.items;
  const sent = useQuery(deliveriesQuery({ state: "sent", skip: 0, limit: 200 })).data?.items;
  if (!groups || !packs || !inGroups || !sent || sent.some(({ userId }) => userId !== null)) return null;
  const link = (href: string, text: string) => <a href={href}>{text}</a>;
  const toGroups = link("/groups", t.groups);
  const steps: readonly [done: boolean, title: string, how: React.ReactNode][] = [
    [inGroups.some(({ groupIds }) => groupIds.length > 0), t.groupStep, t.groupStepHow(toGroups)],
    [
      groups.some(({ memberUserIds, shiftIds }) => memberUserIds.length + shiftIds.length > 0),
      t.peopleStep,
      t.peopleStepHow(toGroups),
    ],
    [groups.some(({ escalation }) => escalation.length > 0), t.escalationStep, t.escalationStepHow(toGroups)],
    [packs.total > 0, t.ruleStep, t.ruleStepHow(link("/thresholds", t.thresholds))],
    [false, t.testStep, t.testStepHow(toGroups)],
  ];
  const due = steps.findIndex(([done]) => !done);
  return (
    <Section title={t.untilFirstPage}>
      <Panel>
        <Steps
          steps={steps.map(
            ([done, title, how], at): Step => ({
              title,
              state: done ? "done" : at === due ? "now" : "later",
              children: <p>{how}</p>,
            }),
          )}
        />
      </Panel>
    </Section>
  );
}
