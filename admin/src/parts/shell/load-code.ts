/** The code of a screen could not be loaded; `cause` is the browser's error. */
export class NotLoaded extends Error {}

/**
 * Returns a loader of a screen, or of a part of one, whose failure is {@link NotLoaded}: the router would answer the
 * browser's own error by reloading the page, also while the service is away.
 */
export function loadScreen<Code>(load: () => Promise<Code>): () => Promise<Code> {
  return () =>
    load().catch((cause: unknown) => {
      throw new NotLoaded(undefined, { cause });
    });
}
