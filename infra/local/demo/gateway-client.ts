/** The gateway as a client sees it: JSON over HTTP with a token. Answers are values; only a lost connection throws. */
import type { Evidence, OperationView } from '@platform/contracts-operator';

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface GatewayClient {
  /** Any method; the answer is returned unchanged. */
  call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>>;
  get<T>(path: string): Promise<Answer<T>>;
  post<T = Record<string, unknown>>(
    path: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<T>>;
  put<T = Record<string, unknown>>(path: string, body: unknown): Promise<Answer<T>>;
  delete<T = Record<string, unknown>>(path: string, body: unknown): Promise<Answer<T>>;
  operation(tenantId: string, operationId: string): Promise<OperationView>;
  evidence(tenantId: string, operationId: string): Promise<Evidence>;
  /** The operation once it has left `pending`, `running` and `awaiting_receipts`. Throws after `timeoutMs`. */
  settled(tenantId: string, operationId: string, timeoutMs?: number): Promise<OperationView>;
}

const underWay = new Set(['pending', 'running', 'awaiting_receipts']);
/** The pause between two reads: an eighth of the wait so far, within these bounds. */
const pauseMs = { shortest: 20, longest: 400 };

export function createGatewayClient(baseUrl: string, token: string): GatewayClient {
  async function call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(`${baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }

  async function read<T>(path: string): Promise<T> {
    const { status, body } = await call<T>('GET', path);
    if (status !== 200) throw new Error(`GET ${path} answered ${status}: ${JSON.stringify(body)}`);
    return body;
  }

  const pathOf = (tenantId: string, operationId: string): string =>
    `/api/saas/workspaces/${tenantId}/operations/${operationId}`;
  const client: GatewayClient = {
    call,
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
    put: (path, body) => call('PUT', path, body),
    delete: (path, body) => call('DELETE', path, body),
    operation: (tenantId, operationId) => read(pathOf(tenantId, operationId)),
    evidence: (tenantId, operationId) => read(`${pathOf(tenantId, operationId)}/evidence`),
    settled: async (tenantId, operationId, timeoutMs = 120_000) => {
      const startedAt = Date.now();
      for (;;) {
        const operation = await client.operation(tenantId, operationId);
        if (!underWay.has(operation.status)) return operation;
        const waitedMs = Date.now() - startedAt;
        if (waitedMs > timeoutMs)
          throw new Error(`operation ${operationId} is still ${operation.status} after ${timeoutMs} ms`);
        const pause = Math.min(Math.max(waitedMs / 8, pauseMs.shortest), pauseMs.longest);
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },
  };
  return client;
}
