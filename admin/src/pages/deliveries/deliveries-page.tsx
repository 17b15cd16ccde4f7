import { useQuery } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { nouns } from "#texts/nouns.ts";
import { t } from "#texts/pages/home.ts";
import { DELIVERIES, type DeliveryQuery, deliveriesQuery } from "../../api/monitoring/deliveries.ts";
import { groupChoicesQuery } from "../../api/people/groups.ts";
import { negatable, PERIOD, periodOf } from "../../parts/filter-values.ts";
import { Records } from "../../parts/list/records.tsx";
import { useSession } from "../../parts/session.ts";
import { type ListState, useListState } from "../../parts/url-state.ts";
import { Action, Empty, type Filter, Page } from "../../ui/ui.ts";
import { choicesOf } from "../../words/devices.ts";
import { DELIVERY_STATES } from "../../words/monitoring.ts";
import { CHANNEL_TYPES } from "../../words/on-call.ts";
import { DeliveryTable } from "./delivery-table.tsx";

const PAGE = 50;

export default function DeliveriesPage() {
  const list = useListState();
  const { anomalyId } = list.values;
  const groups = useQuery(groupChoicesQuery()).data?.items ?? [];
  const query = queryOf(list);
  return (
    <Page title={common.messages} lead={t.whatWasSentToPeople}>
      <Records
        label={common.messages}
        of={nouns.message}
        list={list}
        filters={filtersOf(groups)}
        narrowedBy={["anomalyId"]}
        query={useQuery(deliveriesQuery(query))}
        table={(rows, empty) => <DeliveryTable rows={rows} empty={empty} />}
        csv={[DELIVERIES, query]}
        empty={<NoDeliveries />}
      >
        {anomalyId && (
          <p className="row">
            <a href={`/anomalies/${anomalyId}`}>{t.ofOneAnomaly}</a>
            <Action small label={t.showThoseOfAll} onClick={() => list.onFilter({ anomalyId: undefined })} />
          </p>
        )}
      </Records>
    </Page>
  );
}

function filtersOf(groups: readonly { id: string; name: string }[]): readonly Filter[] {
  return [
    { kind: "choice", name: "state", label: common.state, options: choicesOf(DELIVERY_STATES), not: true },
    {
      kind: "choice",
      name: "channel",
      label: common.by,
      options: Object.entries(CHANNEL_TYPES),
    },
    {
      kind: "choice",
      name: "groupId",
      label: common.group,
      options: groups.map(({ id, name }) => [id, name] as const),
    },
    ...PERIOD,
  ];
}

function queryOf({ values, skip }: ListState): DeliveryQuery {
  const { channel, groupId, anomalyId } = values;
  const narrowed = { ...negatable(values, "state"), ...periodOf(values), channel, groupId, anomalyId };
  return { ...narrowed, skip, limit: PAGE } as DeliveryQuery;
}

function NoDeliveries() {
  const { role } = useSession().user;
  return (
    <Empty title={t.noMessageWasSentYet}>{role === "admin" ? t.groupsNotifyTheirPeopleAnd : t.youSeeThoseOfThe}</Empty>
  );
}
