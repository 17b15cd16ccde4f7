import { foundation } from "./0001-foundation.ts";

/** A step of the schema. Forward only: a step that has shipped is never edited, a later one mends it. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

/** Every step in order; `number` counts from 1 without gaps. */
export const migrations: readonly Migration[] = [{ number: 1, name: "foundation", sql: foundation }];
