/** The channel on which the window at an identity provider tells the page that opened it how it ended. */
const CHANNEL = "muster-provider";

const FEATURES = "popup,width=520,height=720";

/** The message of the window; `result` belongs to a test. */
export interface ProviderEnd {
  done: boolean;
  result?: unknown;
}

/**
 * Opens a window at the identity provider, so that this page and what was typed in it stay. Call it in the handler of a
 * click. The address is known a moment later.
 *
 * @returns what the window told
 * @throws Error when the browser opens no window
 */
export async function atProvider(address: Promise<{ url: string }>): Promise<ProviderEnd> {
  const opened = window.open("", "muster-provider", FEATURES);
  try {
    const { url } = await address;
    if (!opened) {
      location.assign(url);
      return { done: false };
    }
    const ended = nextEnd();
    opened.location.replace(url);
    return await ended;
  } catch (error) {
    opened?.close();
    throw error;
  }
}

function nextEnd(): Promise<ProviderEnd> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.onmessage = ({ data }: MessageEvent<ProviderEnd>) => {
      channel.close();
      resolve(data);
    };
  });
}

/** Tells the page that opened this window how it ended, and closes the window. */
export function endAtProvider(end: ProviderEnd): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(end);
  channel.close();
  window.close();
}
