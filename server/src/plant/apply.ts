import { type Entry, KINDS, type Kind, type Operation, type References } from "./kinds.ts";
import { type Change, idOf, MissingReference, type Present, planOf, referencesOf } from "./plan.ts";
import type { PlantFile } from "./plant-file.ts";

/** The outcome of one operation. */
export type Result = { ok: true; answer: Entry } | { ok: false; problem: { error: string; message: string } };

/** The API of one tenant. */
export interface Tenant {
  read(): Promise<Present>;
  /** Runs operations in order; each has its own outcome. */
  run(operations: readonly Operation[]): Promise<Result[]>;
}

/** The progress of `applyPlant`, complete at any time. */
export interface Applied {
  done: Change[];
  /** Changes that were refused, with the reason. */
  refused: { change: Change; message: string }[];
  /** Passwords of created MQTT clients, which the service does not store. */
  passwords: { clientId: string; password: string }[];
}

/** A plan is made again this many times, if other programs change the tenant at the same time. */
const MOST_ROUNDS = 4;

/** The codes of a change that another program was faster with. */
const RACED = new Set(["already_exists", "client_id_in_use", "not_found", "username_taken"]);

/**
 * Makes the tenant as the file describes it. Records are found again by their stable keys, so a later run completes an
 * interrupted one, and concurrent runs create each record once.
 *
 * @param applied receives the progress, so that it is known even if this throws
 * @throws Error without an answer of the API
 */
export async function applyPlant(
  file: PlantFile,
  tenant: Tenant,
  { prune, applied }: { prune: boolean; applied: Applied },
): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    applied.refused = [];
    const run = new Round(tenant, await tenant.read(), applied);
    const plan = planOf(file, run.present, { prune });
    if (plan.length === 0) return;
    await run.make(plan);
    if (!run.raced) return;
  }
}

/** One plan being made, kind by kind, because records refer to those of earlier kinds. */
class Round {
  readonly present: Present;
  /** Whether another program created or removed a record of the plan in the meantime. */
  raced = false;
  readonly #tenant: Tenant;
  readonly #applied: Applied;

  constructor(tenant: Tenant, present: Present, applied: Applied) {
    this.#tenant = tenant;
    this.present = present;
    this.#applied = applied;
  }

  async make(plan: readonly Change[]): Promise<void> {
    for (const kind of KINDS) {
      const changes = plan.filter((change) => change.kind === kind);
      await this.#create(
        kind,
        changes.filter((change) => change.act === "create"),
      );
      const references = referencesOf(this.present);
      await this.#run(
        changes.filter((change) => change.act === "update"),
        ({ id, fields, before }) => kind.update(id, fields, references, before),
      );
    }
    await this.#run(
      plan.filter((change) => change.act === "delete"),
      ({ kind, id }) => [kind.remove!(id)],
    );
  }

  async #create(kind: Kind, changes: (Change & { act: "create" })[]): Promise<void> {
    const references = referencesOf(this.present);
    const created = await this.#run(changes, ({ entry }) => [kind.create(entry, references)], { whole: false });
    for (const [{ entry, key }, answer] of created) {
      this.present[kind.name].push({ name: entry.name, ...answer, externalId: key });
      if (answer.password) this.#applied.passwords.push({ clientId: key, password: answer.password });
    }
    const present: References = referencesOf(this.present);
    await this.#run([...created.keys()], (change) =>
      kind.complete ? kind.complete(idOf(kind, created.get(change)!), change.entry, present) : [],
    );
  }

  /**
   * Runs the operations of each change, and records its outcome.
   *
   * @param whole whether a change without a refusal is done
   * @returns the first answer of each change without a refusal
   */
  async #run<C extends Change>(
    changes: readonly C[],
    operationsOf: (change: C) => Operation[] | undefined,
    { whole = true } = {},
  ): Promise<Map<C, Entry>> {
    const planned: [C, Operation[]][] = [];
    for (const change of changes) {
      const operations = this.#planned(change, operationsOf);
      if (operations) planned.push([change, operations]);
    }
    const results = await this.#tenant.run(planned.flatMap(([, operations]) => operations));
    const answers = new Map<C, Entry>();
    let from = 0;
    for (const [change, { length }] of planned) {
      const own = results.slice(from, from + length);
      from += length;
      const refusal = own.find((result) => !result.ok);
      if (refusal) this.#refuse(change, refusal.problem);
      else {
        const [first] = own as { answer: Entry }[];
        answers.set(change, first?.answer ?? {});
        if (whole) this.#applied.done.push(change);
      }
    }
    return answers;
  }

  #planned<C extends Change>(change: C, operationsOf: (change: C) => Operation[] | undefined): Operation[] | undefined {
    try {
      const operations = operationsOf(change);
      if (!operations) this.#refuse(change, UNCHANGEABLE);
      return operations;
    } catch (error) {
      if (!(error instanceof MissingReference)) throw error;
      this.#refuse(change, { error: "missing_reference", message: error.message });
      return undefined;
    }
  }

  #refuse(change: Change, { error, message }: { error: string; message: string }): void {
    this.raced ||= RACED.has(error);
    this.#applied.refused.push({ change, message });
  }
}

const UNCHANGEABLE = {
  error: "unchangeable",
  message: "it cannot be changed: delete it, and apply again for a new password",
};
