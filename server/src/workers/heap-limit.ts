/**
 * V8's share of the memory that a process may use. The rest is for everything off the heap: TLS, buffers, the program.
 */
const HEAP_SHARE = 0.5;
const MEBIBYTE = 1024 ** 2;

/** The memory of a machine and of a process's control group, in bytes. */
export interface Memory {
  total: number;
  /** 0, `undefined` or more than `total` if no limit is set. */
  constrained: number | undefined;
}

/**
 * Returns the Node flags that limit the heap of one of several processes under a common memory limit, such as a
 * container's. Without them V8 takes half of the limit for each process, and the kernel kills the container before V8
 * collects its garbage. A process that reaches its limit ends alone and is restarted. Without a memory limit, or if the
 * operator has set the flag, V8 keeps its own limit.
 *
 * @param workers the number of processes that serve; one more runs the jobs
 * @param given the operator's flags for Node
 */
export function heapFlags(workers: number, { total, constrained = 0 }: Memory, given: string): string[] {
  if (constrained <= 0 || constrained >= total || /--max[-_](old[-_]space|heap)[-_]size/.test(given)) return [];
  return [`--max-old-space-size=${Math.floor((constrained * HEAP_SHARE) / (workers + 1) / MEBIBYTE)}`];
}
