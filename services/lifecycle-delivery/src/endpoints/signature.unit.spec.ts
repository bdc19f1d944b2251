/** Signatures as a receiver of the specification checks them, and the files that the secrets are in. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretFiles } from './secret-files';
import { signatureHeaders } from './signature';

const secretOf = (letter: string, bytes = 32): string =>
  `whsec_${Buffer.from(letter.repeat(bytes)).toString('base64')}`;

describe('signatures', () => {
  it('are HMAC-SHA256 over id, seconds and body, one for each secret', () => {
    const at = new Date('2026-03-02T08:00:00.999Z');
    const headers = signatureHeaders({ id: 'delivery:1', at, body: '{"ä":1}' }, [secretOf('a'), secretOf('b')]);
    const signed = (letter: string) =>
      `v1,${createHmac('sha256', letter.repeat(32)).update('delivery:1.1772438400.{"ä":1}').digest('base64')}`;
    expect(headers).toEqual({
      'webhook-id': 'delivery:1',
      'webhook-timestamp': '1772438400',
      'webhook-signature': `${signed('a')} ${signed('b')}`,
    });
  });
});

describe('secrets in files', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'secrets-'))));
  afterEach(() => rmSync(folder, { recursive: true }));
  const read = (text: string) => {
    writeFileSync(join(folder, 'billing'), text);
    return secretFiles(folder).read('billing');
  };

  it('are one, or two in a rotation, and read again for each message', async () => {
    expect(await read(`${secretOf('a')}\n`)).toEqual({ ok: true, secrets: [secretOf('a')] });
    expect(await read(`${secretOf('b')}\n${secretOf('a')}\n`)).toEqual({
      ok: true,
      secrets: [secretOf('b'), secretOf('a')],
    });
  });

  it.each([
    ['none', ''],
    ['three', [secretOf('a'), secretOf('b'), secretOf('c')].join('\n')],
    ['one that is short', secretOf('a', 23)],
    ['one without its mark', secretOf('a').slice('whsec_'.length)],
    ['one that is no Base64', 'whsec_hunter2!'],
  ])('with %s sign nothing, and the problem names no content', async (_what, text) => {
    const answer = await read(text);
    expect(answer).toMatchObject({ ok: false, problem: expect.stringContaining('the secret billing') as string });
    expect(JSON.stringify(answer)).not.toMatch(/hunter2|YWFh/);
  });

  it('that are not mounted sign nothing', async () => {
    expect(await secretFiles(folder).read('billing')).toEqual({
      ok: false,
      problem: 'the secret billing has no readable file',
    });
    expect(await secretFiles(undefined).read('billing')).toMatchObject({ ok: false });
  });
});
