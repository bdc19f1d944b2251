/** The refusals of a route, grouped by status, each code with the document that a client will see. */
import type { BaseCode, CodeTable } from '../codes';
import { problem, problemContentType, problemDocument } from '../problem';
import type { Route } from '../route';
import { parameterNames } from '../server/read-request';
import { isRolePolicy, judgedParameter } from '../policy';
import type { JsonSchema } from './json-schema';

export const problemSchema: JsonSchema = {
  type: 'object',
  description: 'RFC 9457 problem document. Branch on `code`; it is stable.',
  required: ['type', 'title', 'status', 'code', 'detail', 'nextStep'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'Stable URI of the code.' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: { type: 'string' },
    detail: { type: 'string', description: 'What happened and what it means, for people.' },
    nextStep: { type: 'string', description: 'What the caller can do about it, for people.' },
    operationId: { type: 'string', description: 'The operation that this is about.' },
    errors: {
      type: 'array',
      maxItems: 50,
      description: 'What is wrong where.',
      items: {
        type: 'object',
        required: ['pointer', 'message'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer into the body, or /query/…, /path/…, /header/….' },
          message: { type: 'string' },
        },
      },
    },
  },
  additionalProperties: true,
};

/** The base codes that the route's own declaration implies. */
export function impliedCodes(route: Route, limited: boolean): BaseCode[] {
  const codes: BaseCode[] = ['invalid_request', 'internal_error', 'overloaded'];
  if (route.policy !== 'public') codes.push('unauthenticated', 'identity_unavailable');
  const judged = judgedParameter(route.policy) !== undefined;
  if (isRolePolicy(route.policy) || judged) codes.push('forbidden');
  if (judged || parameterNames(route.path).length > 0) codes.push('not_found');
  if (route.method !== 'GET') codes.push('payload_too_large', 'request_timeout');
  if (route.method !== 'GET' && !route.rawBody) codes.push('unsupported_media_type');
  if (limited) codes.push('rate_limited');
  return codes;
}

/** OpenAPI responses by status, sorted; each lists its codes as examples. */
export function problemResponses(route: Route, codes: CodeTable, limited: boolean): JsonSchema {
  const byStatus = new Map<number, string[]>();
  for (const code of [...new Set<string>([...impliedCodes(route, limited), ...route.errors])].sort()) {
    const { status } = codes[code]!;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, members]) => {
      const examples = members.map((code) => {
        const value = problemDocument(codes, problem(code));
        return [code, { summary: value.title, value }] as const;
      });
      const media = { schema: { $ref: '#/components/schemas/Problem' }, examples: Object.fromEntries(examples) };
      const description = members
        .map((code) => `\`${code}\`: ${codes[code]!.message} ${codes[code]!.nextStep}`)
        .join('\n\n');
      return [String(status), { description, content: { [problemContentType]: media } }] as const;
    });
  return Object.fromEntries(responses);
}
