/** Requests as the gateway's document shows them, and others that differ in one place, for the suite of the document. */
import { examplesIn } from '@platform/http-server/testing';
import type { TestGateway } from './test-gateway';

interface Place {
  readonly name?: string;
  readonly in?: string;
  readonly required?: boolean;
}
interface Media {
  /** By name, each with its value. */
  readonly examples?: object;
}
interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters: readonly Place[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Addressed {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

/** Parameters of addresses that take other values than an id of eight characters and more. */
const known: Readonly<Record<string, string>> = { kind: 'operation', tenantId: 'acme', consumer: 'storage' };

function addressed(paths: object): Addressed[] {
  return Object.entries(paths as Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

function addressOf(path: string, changed: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(changed[name] ?? known[name] ?? 'shown-2026-0001'),
  );
}

/** The parameters that the query must have. */
function queryOf(parameters: readonly Place[]): string {
  const required = parameters.filter(({ in: place, required: must }) => place === 'query' && must);
  return required.length === 0 ? '' : `?${required.map(({ name }) => `${name}=shown-2026-0001`).join('&')}`;
}

/** The answer to the platform's people, or to the workspace's owner where they may not ask. */
async function ask(gateway: TestGateway, method: string, path: string, body?: unknown) {
  const sent = body === undefined ? {} : { body };
  const answer = await gateway.request(method, path, sent);
  return answer.status === 403 ? gateway.request(method, path, { ...sent, role: 'user' }) : answer;
}

/** Sends each example of a body; answers what is called invalid. */
export async function sendExamples(gateway: TestGateway, paths: object): Promise<{ sent: number; refused: unknown[] }> {
  const refused: unknown[] = [];
  let sent = 0;
  for (const { method, path, operation } of addressed(paths))
    for (const body of examplesIn(operation.requestBody?.content)) {
      sent += 1;
      const answer = await ask(gateway, method, `${addressOf(path)}${queryOf(operation.parameters)}`, body);
      if (answer.status === 400) refused.push({ [operation.operationId]: answer.json() });
    }
  return { sent, refused };
}

/** Sends a wrong value at each place of an address and of a body; answers what is said of each. */
export async function sendWrongValues(gateway: TestGateway, paths: object): Promise<string[]> {
  const said: string[] = [];
  const note = async (where: string, method: string, path: string, body?: unknown) => {
    const { errors = [] } = (await ask(gateway, method, path, body)).json<{
      errors?: readonly { pointer: string; message: string }[];
    }>();
    said.push(...errors.map(({ pointer, message }) => `${where} ${pointer} ${message}`));
  };
  for (const { method, path, operation } of addressed(paths)) {
    const { operationId, parameters, requestBody } = operation;
    const [body] = examplesIn(requestBody?.content);
    for (const { name = '', in: place } of parameters) {
      if (place === 'path') await note(operationId, method, addressOf(path, { [name]: '!!' }), body);
      if (place === 'query') await note(operationId, method, `${addressOf(path)}?${name}=!!`, body);
    }
    for (const name of Object.keys((body as object | undefined) ?? {}))
      await note(operationId, method, addressOf(path), { ...(body as object), [name]: '!!' });
  }
  return said;
}
