/** One level of a topic or filter, and the levels below it. */
class Node<T> {
  value: T | undefined;
  children: Map<string, Node<T>> | undefined;

  child(level: string): Node<T> | undefined {
    return this.children?.get(level);
  }
}

/**
 * Values by topic or by filter, split at `/`. A trie of filters finds those that match a topic; a trie of topics finds
 * those that match a filter (MQTT 3.1.1, 4.7). A search visits every node at most once.
 */
export class TopicTrie<T> {
  readonly #root = new Node<T>();
  size = 0;

  get(path: string): T | undefined {
    let node: Node<T> | undefined = this.#root;
    for (const level of path.split("/")) node = node?.child(level);
    return node?.value;
  }

  set(path: string, value: T): void {
    let node = this.#root;
    for (const level of path.split("/")) {
      node.children ??= new Map();
      const next = node.children.get(level) ?? new Node<T>();
      node.children.set(level, next);
      node = next;
    }
    if (node.value === undefined) this.size++;
    node.value = value;
  }

  delete(path: string): void {
    this.#remove(this.#root, path.split("/"), 0);
  }

  /** Returns the values of the filters that match `topic`. */
  matchingTopic(topic: string): T[] {
    const found: T[] = [];
    const levels = topic.split("/");
    if (isHidden(topic)) descend(this.#root.child(levels[0]!), levels, 1, found);
    else matchTopic(this.#root, levels, 0, found);
    return found;
  }

  /** Returns the values of the topics that `filter` matches. */
  matchingFilter(filter: string): T[] {
    const found: T[] = [];
    const levels = filter.split("/");
    matchFilter(this.#root, levels, 0, found);
    return found;
  }

  /** @returns whether `node` has become empty */
  #remove(node: Node<T>, levels: readonly string[], at: number): boolean {
    if (at === levels.length) {
      if (node.value !== undefined) this.size--;
      node.value = undefined;
    } else {
      const next = node.child(levels[at]!);
      if (next && this.#remove(next, levels, at + 1)) node.children!.delete(levels[at]!);
      if (node.children?.size === 0) node.children = undefined;
    }
    return node.value === undefined && node.children === undefined;
  }
}

/** Continues the search below `node`, if it exists. */
function descend<T>(node: Node<T> | undefined, levels: readonly string[], at: number, found: T[]): void {
  if (node) matchTopic(node, levels, at, found);
}

function matchTopic<T>(node: Node<T>, levels: readonly string[], at: number, found: T[]): void {
  // 4.7.1.2: `#` also matches the level above it.
  const rest = node.child("#")?.value;
  if (rest !== undefined) found.push(rest);
  if (at === levels.length) {
    if (node.value !== undefined) found.push(node.value);
    return;
  }
  descend(node.child(levels[at]!), levels, at + 1, found);
  descend(node.child("+"), levels, at + 1, found);
}

function matchFilter<T>(node: Node<T>, levels: readonly string[], at: number, found: T[]): void {
  const level = levels[at];
  if (level === undefined) {
    if (node.value !== undefined) found.push(node.value);
  } else if (level === "#") {
    collect(node, at === 0, found);
  } else if (level === "+") {
    for (const [name, next] of node.children ?? []) {
      if (at > 0 || !isHidden(name)) matchFilter(next, levels, at + 1, found);
    }
  } else {
    const next = node.child(level);
    if (next) matchFilter(next, levels, at + 1, found);
  }
}

/** Collects every value from `node` down. */
function collect<T>(node: Node<T>, isRoot: boolean, found: T[]): void {
  if (node.value !== undefined) found.push(node.value);
  for (const [name, next] of node.children ?? []) {
    if (!isRoot || !isHidden(name)) collect(next, false, found);
  }
}

/** Whether a leading wildcard must not match this topic, because it begins with $ [MQTT-4.7.2-1]. */
function isHidden(firstLevel: string): boolean {
  return firstLevel.startsWith("$");
}
