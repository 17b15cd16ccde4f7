/** Stands for `node:test` in a process that runs each test many times. */

type Body = (context: object) => unknown;

export interface RegisteredTest {
  name: string;
  body: Body;
}

export const registered: RegisteredTest[] = [];

export function test(name: string, ...rest: [Body] | [options: object, Body]): void {
  registered.push({ name, body: rest.at(-1) as Body });
}

/** Prepares what the tests of a file share, once. */
export function before(prepare: () => unknown): void {
  preparations.push(prepare);
}

/** The process is killed when it is done, so nothing is cleaned up. */
export function after(): void {}

export const preparations: (() => unknown)[] = [];

/** Runs a test. Resolves with the message of its failure, or undefined. */
export async function failureOf({ body }: RegisteredTest): Promise<string | undefined> {
  try {
    await body({ skip: () => undefined, diagnostic: () => undefined });
    return undefined;
  } catch (error) {
    return String(error);
  }
}
