import { NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { t } from "#texts/duties.ts";
import { GROUPS } from "../../api/people/groups.ts";
import { COVERAGE, createOverride, DUTIES, type OwnDuty, offerDuty } from "../../api/people/on-call.ts";
import { nameOfPerson, peopleQuery } from "../../api/people/people.ts";
import { instantOf, localMinute } from "../../parts/filter-values.ts";
import { Form, useFields } from "../../parts/form/form.tsx";

/** The beginnings of the addresses of everything that depends on overrides. */
export const OF_DUTIES = [DUTIES, GROUPS, COVERAGE];

const HOUR_MS = 3_600_000;
export const needed = (text: string) => (text === "" ? t.enterATime : null);

/** Returns the active users as choices, after `first`. */
export function usePeople(first: string) {
  const people = useQuery(peopleQuery()).data?.items ?? [];
  return [{ value: "", label: first }, ...people.map((each) => ({ value: each.id, label: nameOfPerson(each) }))];
}

/** Gives a user the duty of another, or of everybody, in a group for a time. */
export function OverrideForm({ groupId, onClose }: { groupId: string; onClose: () => void }) {
  const [form, field] = useFields(
    { userId: "", replacesUserId: "", startsAt: "", endsAt: localMinute(Date.now() + 8 * HOUR_MS) },
    "createOverride",
    {
      userId: (id) => (id === "" ? t.choosePerson : null),
      replacesUserId: () => null,
      startsAt: () => null,
      endsAt: needed,
    },
  );
  return (
    <Form
      form={form}
      onSubmit={({ userId, replacesUserId, startsAt, endsAt }) =>
        createOverride(groupId, {
          userId,
          replacesUserId: replacesUserId || null,
          startsAt: instantOf(startsAt) ?? null,
          endsAt: instantOf(endsAt)!,
        })
      }
      action={t.overrideAction}
      onCancel={onClose}
      onDone={onClose}
      done={t.overridden}
      refreshes={OF_DUTIES}
    >
      <NativeSelect label={t.takes} data={usePeople("")} data-autofocus {...field("userId")} />
      <NativeSelect label={t.insteadOf} data={usePeople(t.everybody)} {...field("replacesUserId")} />
      <TextInput type="datetime-local" label={t.begins} description={t.emptyIsNow} {...field("startsAt")} />
      <TextInput type="datetime-local" label={t.ends} {...field("endsAt")} />
    </Form>
  );
}

/** Offers one's own duty to a colleague, or to everyone of the group. */
export function OfferForm({ duty, onClose }: { duty: OwnDuty; onClose: () => void }) {
  const startsAt = localMinute(Math.max(Date.parse(duty.startsAt), Date.now()));
  const [form, field] = useFields({ userId: "", startsAt, endsAt: localMinute(duty.endsAt) }, "offerDuty", {
    userId: () => null,
    startsAt: needed,
    endsAt: needed,
  });
  return (
    <Form
      form={form}
      onSubmit={(values) =>
        offerDuty(duty.groupId, {
          userId: values.userId || null,
          startsAt: instantOf(values.startsAt)!,
          endsAt: instantOf(values.endsAt)!,
        })
      }
      action={t.offer}
      onCancel={onClose}
      onDone={onClose}
      done={t.isOffered}
      refreshes={OF_DUTIES}
    >
      <p>{t.offerText}</p>
      <NativeSelect label={t.offerTo} data={usePeople(t.everyone)} {...field("userId")} />
      <TextInput type="datetime-local" label={t.begins} description={t.inYourZone} {...field("startsAt")} />
      <TextInput type="datetime-local" label={t.ends} {...field("endsAt")} />
    </Form>
  );
}
