/** A request of a bench, as a client sends it that names its step by an id. */

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A side that does not answer ends the bench with its address, instead of after the client's own five minutes. */
const patienceMs = 60_000;

/** A connection that breaks, as one that rested too long while the client was busy, is tried once again. */
export async function postJson(
  url: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const send = (): Promise<Response> =>
    fetch(url, {
      signal: AbortSignal.timeout(patienceMs),
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const response = await send()
    .catch(send)
    .catch((error: unknown) => {
      throw new Error(`${url} did not answer: ${String(error)}`);
    });
  return { status: response.status, text: await response.text() };
}
