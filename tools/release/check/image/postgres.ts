import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** Runs `act` with the address of an empty database on a PostgreSQL that ends with it. */
export async function withPostgres<T>(root: string, act: (url: string) => Promise<T>): Promise<T> {
  const script = 'echo "$MUSTER_TEST_DATABASE_URL"; exec sleep infinity';
  const server = spawn("tools/with-postgres", ["sh", "-c", script], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "exit");
  try {
    const [url] = await Promise.race([
      once(createInterface({ input: server.stdout }), "line"),
      ended.then(([code]) => Promise.reject(new Error(`tools/with-postgres ended with ${code}`))),
    ]);
    return await act(url as string);
  } finally {
    server.kill("SIGTERM");
    await ended;
  }
}
