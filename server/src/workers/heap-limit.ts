/** V8's own share of the memory that a process may use. The rest holds what is not on the heap: TLS, buffers, the program. */
const HEAP_SHARE = 0.5;
const MEBIBYTE = 1024 ** 2;

/** The memory of a machine and of a process's control group, in bytes. */
export interface Memory {
  total: number;
  /** 0, `undefined` or more than `total` where no limit is set. */
  constrained: number | undefined;
}

/**
 * Returns Node's flags that bound the heap of one of several processes under a common memory limit, such as that of a container. Without them V8
 * takes half of the limit for each process, and the kernel ends the container before V8 collects its garbage. A process that reaches its bound ends alone,
 * and is started again. Without a memory limit, or where the operator has set the flag, V8 keeps its own bound.
 *
 * @param workers how many processes serve; one more has the jobs
 * @param given the operator's flags for Node
 */
export function heapFlags(workers: number, { total, constrained = 0 }: Memory, given: string): string[] {
  if (constrained <= 0 || constrained >= total || /--max[-_](old[-_]space|heap)[-_]size/.test(given)) return [];
  return [`--max-old-space-size=${Math.floor((constrained * HEAP_SHARE) / (workers + 1) / MEBIBYTE)}`];
}
