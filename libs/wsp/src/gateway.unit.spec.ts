import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Misuse } from '@platform/command-line';
import { answerOf, openGateway, Unanswered } from './gateway';
import { caseOf } from './trace-record';

const url = 'https://gateway.example/';
const answering =
  (status: number, body: unknown, seen: [string, string | null][] = []): typeof fetch =>
  async (address, init) => {
    seen.push([String(address), new Headers(init?.headers).get('authorization')]);
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
  };
const refusing = (status: number, code: string, more: object = {}) =>
  answering(status, { type: 'x', title: 'T', status, code, detail: 'No.', ...more });
const ask = (send: typeof fetch) => openGateway({ url }, { WSP_TOKEN: 't' }, send);

describe('the way to the gateway', () => {
  it('is named by an option before the environment; a token by a file before a value', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wsp-token-'));
    const file = join(folder, 'token');
    writeFileSync(file, 'of-the-file\n');
    const seen: [string, string | null][] = [];
    const environment = { WSP_URL: 'https://other.example', WSP_TOKEN: 'of-the-environment' };
    const send = answering(200, { plans: [] }, seen);
    await openGateway({ url, 'token-file': file }, environment, send)('listPlans', {});
    await openGateway({}, environment, send)('listWorkspaces', { query: { query: 'a b', limit: 2 } });
    rmSync(folder, { recursive: true });
    expect(seen).toEqual([
      ['https://gateway.example/api/saas/plans', 'Bearer of-the-file'],
      ['https://other.example/api/saas/workspaces?query=a+b&limit=2', 'Bearer of-the-environment'],
    ]);
  });

  it.each([
    [{}, {}, '--url'],
    [{ url: 'gateway' }, {}, '--url'],
    [{ url: 'ftp://gateway.example' }, {}, '--url'],
    [{ url }, {}, '--token-file'],
    [{ url, 'token-file': '/nowhere/token' }, {}, 'cannot be read'],
  ])('is refused as a wrong command line: %j', (address, environment, named) => {
    expect(() => openGateway(address, environment)).toThrow(Misuse);
    expect(() => openGateway(address, environment)).toThrow(named);
  });

  it.each(['secret.token.part\nsecond line', 'secret.token.part“', '', ' \n'])(
    'is refused as a wrong command line for the token %j, which is not printed',
    (token) => {
      const folder = mkdtempSync(join(tmpdir(), 'wsp-token-'));
      const file = join(folder, 'token');
      writeFileSync(file, token);
      const opening = () => openGateway({ url, 'token-file': file }, {}, fetch);
      expect(opening).toThrow(Misuse);
      expect(opening).toThrow(/^the token is/);
      expect(opening).not.toThrow('secret');
      rmSync(folder, { recursive: true });
    },
  );

  it('ends with 1, the lowest cause and what to look at when nothing answers', async () => {
    const lost: typeof fetch = () => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    };
    await expect(ask(lost)('listPlans', {})).rejects.toMatchObject({
      code: 1,
      message: expect.stringMatching(/connect ECONNREFUSED.*--url or WSP_URL names it/) as string,
    });
  });
});

describe('a refusal', () => {
  it.each([
    [400, 'invalid_request', 2],
    [404, 'not_found', 3],
    [403, 'forbidden', 1],
    [503, 'store_unavailable', 1],
  ])('%i %s ends with %i', async (status, code, exit) => {
    const answer = await ask(refusing(status, code))('listPlans', {});
    expect(() => answerOf(answer)).toThrow(expect.objectContaining({ code: exit, message: `No. (${code})` }) as Error);
  });

  it('names the option that was wrong', async () => {
    const errors = [
      { pointer: '/query/tenantId', message: 'is no id.' },
      { pointer: '/query/cursor', message: 'is not a cursor' },
    ];
    const answer = await ask(refusing(400, 'invalid_request', { errors }))('listWork', {});
    expect(() => answerOf(answer)).toThrow('--workspace is no id. --cursor is not a cursor.');
  });

  it.each([
    ['/query/q', 'the id'],
    ['/query/id', 'the id'],
    ['/query/query', 'the text'],
    ['/query/from', '--from'],
    ['/path/tenantId', 'the id of the workspace'],
    ['/path/kind', '--kind'],
    ['/path/consumer', 'the name'],
    ['/reason', '--reason'],
    ['/requestId', '--request-id'],
    ['/endpoint/url', '--endpoint'],
    ['/endpoint/secretRef', '--secret-ref'],
    ['/endpoint/transitions/0', '--transitions'],
    ['/unheard/of', '/unheard/of'],
  ])('of %s names %s, as it was typed', async (pointer, words) => {
    const errors = [{ pointer, message: 'is wrong' }];
    const answer = await ask(refusing(400, 'invalid_request', { errors }))('listWork', {});
    expect(() => answerOf(answer)).toThrow(`No. ${words} is wrong. (invalid_request)`);
  });

  it('that is no problem document is one all the same', async () => {
    for (const [status, body] of [
      [502, '<html>'],
      [200, 'not json'],
    ] as const)
      expect(await ask(answering(status, body))('listPlans', {})).toMatchObject({
        ok: false,
        status,
        problem: { code: 'unreadable_answer' },
      });
  });
});

describe('a record by its id', () => {
  const none = { matches: [], unavailable: [] };

  it('that nothing bears ends with 3', async () => {
    await expect(caseOf(ask(answering(200, none)), 'op-1', undefined)).rejects.toMatchObject({ code: 3 });
  });

  it('that is not found while an owner does not answer ends with 1: it is not known', async () => {
    const silent = ask(answering(200, { ...none, unavailable: ['provisioning'] }));
    const failure = caseOf(silent, 'op-1', undefined);
    await expect(failure).rejects.toBeInstanceOf(Unanswered);
    await expect(failure).rejects.toMatchObject({
      code: 1,
      message: expect.stringContaining('provisioning') as string,
    });
  });
});
