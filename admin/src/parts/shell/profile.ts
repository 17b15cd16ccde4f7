import { LANGUAGE } from "#texts/language.ts";
import { api, must, type Schemas } from "../../api/client.ts";
import { setTimeChoices } from "../../ui/display/zone.ts";

export type Profile = Schemas["UserProfile"];

export const saveProfile = (body: Profile): Promise<Profile> => must(api.PUT("/api/admin/profile", { body }));

/** The cookie from which the service learns the language of the page, also while nobody is signed in. */
const COOKIE = "muster-language";
const YEAR_SECONDS = 31_536_000;
/** The language that the page was last loaded again for. */
const ASKED = "muster-asked-language";

/** Applies the choices of the signed-in user. A page in another language is loaded again. */
export function applyProfile({ timeZone, clock, language }: Profile): void {
  setTimeChoices({ timeZone, clock });
  keepLanguage(language);
  // A service whose build lacks the language answers in another one.
  if (language === null || language === LANGUAGE || sessionStorage.getItem(ASKED) === language) return;
  sessionStorage.setItem(ASKED, language);
  location.reload();
}

/** Keeps the language of the user in this browser; null leaves it to the browser. */
export function keepLanguage(language: Profile["language"]): void {
  const seconds = language === null ? 0 : YEAR_SECONDS;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is too new for some browsers
  document.cookie = [`${COOKIE}=${language ?? ""}`, "path=/", `max-age=${seconds}`, "secure", "samesite=strict"].join(
    ";",
  );
  if (language === LANGUAGE) sessionStorage.removeItem(ASKED);
}
