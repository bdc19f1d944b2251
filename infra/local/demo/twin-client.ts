/** The provider twin's control plane: its ledger is the judge of what was really done, its faults are the story's villains. */

export interface Effect {
  readonly method: string;
  readonly path: string;
  readonly idempotencyKey: string | null;
  readonly amount?: number;
  readonly objectId: string | null;
}

export interface Fault {
  readonly match: { readonly method?: string; readonly path?: string };
  readonly fault: 'lose_answer_after' | 'lose_answer_before' | 'rate_limit' | 'status_500';
  readonly times: number;
}

export interface TwinClient {
  /** Effects of one operation, oldest first. */
  effects(operationId: string): Promise<readonly Effect[]>;
  addFault(fault: Fault): Promise<void>;
  removeFaults(): Promise<void>;
}

export function createTwinClient(baseUrl: string): TwinClient {
  async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`the twin answered ${response.status} to ${method} ${path}: ${text}`);
    return JSON.parse(text) as T;
  }
  return {
    effects: async (operationId) => (await call<{ entries: Effect[] }>('GET', `/_twin/ledger?operationId=${operationId}`)).entries,
    addFault: async (fault) => void (await call('POST', '/_twin/faults', fault)),
    removeFaults: async () => void (await call('DELETE', '/_twin/faults')),
  };
}
