import type { Program } from "./programs.ts";

/** The descriptions of a service, as files. */
export interface Descriptions {
  public: string;
  device: string;
}

export type Surface = keyof Descriptions;

/** The environment of a story: BASE_URL, API_KEY, CA_FILE. */
export type StoryEnvironment = Record<string, string>;

/** A generator of clients, and how its output is compiled. */
export interface Client {
  name: string;
  needs: readonly Program[];
  /**
   * Generates clients of both descriptions into `folder`, which is empty, and returns the generator's output.
   *
   * @param folder outside the repository
   */
  generate(descriptions: Descriptions, folder: string): Promise<string>;
  /** Returns only if every file compiles. */
  compile(folder: string): Promise<unknown>;
  /** Runs a program with these clients: claim, enrollment, command, anomaly, acknowledgement, ticket. */
  story?(folder: string, environment: StoryEnvironment): Promise<unknown>;
}

export const SURFACES: readonly Surface[] = ["public", "device"];
