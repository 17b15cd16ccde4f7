const ATTEMPTS = 5;
const RETRY_MS = 200;

/** Retries failing work for about two seconds. Rejects with the last error. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * attempt).unref());
    }
  }
}
