import { credentialStory } from "./credential-story.ts";
import { enrollmentStory } from "./enrollment-story.ts";
import { faultStory } from "./fault-story.ts";
import type { Step } from "./step.ts";
import { watchStory } from "./watch-story.ts";

/** What the platform is for, from the first claim to the last audit row. */
export function story(chance: () => number): Step[] {
  return [...enrollmentStory(chance), ...watchStory(), ...faultStory(chance), ...credentialStory()];
}
