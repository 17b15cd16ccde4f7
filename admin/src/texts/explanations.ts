/** The cause of an event, and its cure. */
export interface Explanation {
  cause: string;
  cure: string;
}

/** The explanations of the service in the language of the page, by code. */
export type Explanations = Readonly<Record<string, Explanation>>;

/** The symptoms in the language of the page, by code. */
export type Symptoms = Readonly<Record<string, Explanation & { symptom: string }>>;
