/** An answer that the document of its service does not describe is seen, whatever it lacks. */
import { createRandom } from '@platform/testing';
import { breachOf } from './attack-routes';
import { createRequests } from './generate-requests';
import { createJudge } from './judge-answers';
import type { OpenApi } from './openapi';

const draft = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const document = {
  openapi: '3.1.0',
  paths: {
    '/drafts/{draftId}': {
      post: {
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Draft' } } } },
        responses: {
          '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Draft' } } } },
          '404': { $ref: '#/components/responses/Missing' },
        },
      },
    },
  },
  components: {
    schemas: { Draft: draft },
    responses: { Missing: { content: { 'application/problem+json': { schema: { required: ['code'] } } } } },
  },
} as OpenApi;
const operation = document.paths['/drafts/{draftId}']!['post']!;
const request = {
  method: 'POST',
  path: '/drafts/1',
  headers: {},
  documented: { path: '/drafts/{draftId}', operation },
};
const answer = (status: number, text: string, contentType = 'application/json') => ({
  status,
  text,
  contentType,
  milliseconds: 1,
});

describe('an answer to a documented request', () => {
  it.each([
    ['of another shape', answer(200, '{"name":7}'), /answered 200 in another shape: \/name must be string/],
    ['that lacks a field', answer(200, '{}'), /must have required property 'name'/],
    ['with a status of no response', answer(409, '{"code":"conflict"}'), /has no status 409/],
    ['of another kind', answer(200, '<html>', 'text/html; charset=utf-8'), /has no text\/html for status 200/],
    ['without content', answer(200, '', ''), /has no answer without content for status 200/],
    ['refused in another shape', answer(404, '{}', 'application/problem+json'), /answered 404 in another shape/],
  ])('%s is a breach', (_which, given, words) => {
    const judge = createJudge(document);
    expect(judge.breachOf(request, given)).toMatch(words);
    expect(judge.judged()).toBe(1);
  });

  it('as described is none, and one to another request is not judged', () => {
    const judge = createJudge(document);
    expect(judge.breachOf(request, answer(200, '{"name":"gifts"}'))).toBeUndefined();
    expect(judge.breachOf(request, answer(404, '{"code":"not_found"}', 'application/problem+json'))).toBeUndefined();
    expect(judge.breachOf({ ...request, documented: undefined } as never, answer(500, '{}'))).toBeUndefined();
    expect(judge.judged()).toBe(2);
  });
});

describe('an answer 503', () => {
  const unavailable = answer(503, '{"code":"peer_unavailable"}', 'application/problem+json');

  it('is a breach where nothing disturbs the platform', () => {
    expect(breachOf(unavailable, true)).toMatch(/^503/);
    expect(breachOf(unavailable)).toBeUndefined();
  });
});

describe('requests that learn', () => {
  it('fill bodies by referenced schemas, and name what an answer has named', () => {
    const requests = createRequests(document, createRandom(3), 'acme', ['']);
    requests.learn({ drafts: [{ draftId: 'draft-0815', name: 'gifts' }] });
    const made = Array.from({ length: 300 }, requests.next);
    expect(made.some(({ path }) => path === '/drafts/draft-0815')).toBe(true);
    expect(made.some(({ body }) => body === '{"name":"gifts"}')).toBe(true);
    expect(made.filter(({ documented }) => documented !== undefined).length).toBeGreaterThan(50);
  });
});
