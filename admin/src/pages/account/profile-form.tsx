import { NativeSelect, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { common } from "#texts/common.ts";
import { LANGUAGE } from "#texts/language.ts";
import { t } from "#texts/pages/account.ts";
import { t as shell } from "#texts/parts.ts";
import { sessionQuery } from "../../api/session.ts";
import { Form, useFields } from "../../parts/form/form.tsx";
import { useSession } from "../../parts/session.ts";
import { applyProfile, keepLanguage, type Profile, saveProfile } from "../../parts/shell/profile.ts";
import { LANGUAGES } from "../../texts/languages.ts";
import { timeZoneChoices } from "../../ui/display/time-zones.ts";

type Values = Record<keyof Profile, string>;

/** The user's name, and the language, the zone, the clock and the theme of the app. */
export function ProfileForm() {
  const { profile } = useSession();
  const queries = useQueryClient();
  const [form, field] = useFields<Values>(valuesOf(profile), "changeProfile", { name: () => null });
  const browser = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const submit = async (values: Values) => {
    const saved = await saveProfile(profileOf(values));
    queries.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, profile: saved });
    keepLanguage(saved.language);
    if (saved.language === profile.language || saved.language === LANGUAGE) return applyProfile(saved);
    location.reload();
  };
  return (
    <Form form={form} onSubmit={submit} action={common.save} done={common.saved}>
      <TextInput label={common.name} description={t.othersSeeYourName} autoComplete="name" {...field("name")} />
      <NativeSelect
        label={t.language}
        data={[{ value: "", label: t.asInTheBrowser }, ...LANGUAGES]}
        {...field("language")}
      />
      <NativeSelect
        label={t.timeZone}
        data={timeZoneChoices({ value: "", label: t.zoneOfTheBrowser(browser) }, { value: "UTC", label: "UTC" })}
        {...field("timeZone")}
      />
      <NativeSelect
        label={t.clock}
        data={[
          { value: "", label: t.asUsualInTheLanguage },
          { value: "24", label: t.hours24 },
          { value: "12", label: t.hours12 },
        ]}
        {...field("clock")}
      />
      <NativeSelect
        label={shell.colours}
        data={[
          { value: "", label: shell.system },
          { value: "light", label: shell.light },
          { value: "dark", label: shell.dark },
        ]}
        {...field("theme")}
      />
    </Form>
  );
}

/** Fields have text: an empty one is the browser's choice. */
function valuesOf({ name, language, timeZone, clock, theme }: Profile): Values {
  return {
    name: name ?? "",
    language: language ?? "",
    timeZone: timeZone ?? "",
    clock: clock ?? "",
    theme: theme ?? "",
  };
}

function profileOf(values: Values): Profile {
  const filled = Object.entries(values).map(([field, value]) => [field, value.trim() || null]);
  return Object.fromEntries(filled) as Profile;
}
