/** The files of a page over HTTP: which are served, under which policy, and that no name leads out of the folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { silentLog } from '@platform/kernel';
import { createHttpServer } from './server/create-http-server';
import { staticPageRoutes } from './static-page';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'console-routes-'));
  mkdirSync(join(folder, 'page/assets'), { recursive: true });
  writeFileSync(join(folder, 'page/index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'page/assets/index-12345678.js'), 'export {};');
  writeFileSync(join(folder, 'secret.txt'), 'secret');
});
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (places: string[], url: string, headers: Record<string, string> = {}) =>
  createHttpServer({
    name: 'test',
    version: '0',
    log: silentLog,
    readiness: {},
    routes: staticPageRoutes({ base: '/console', title: 'The console', folders: places }),
  }).inject({ method: 'GET', url, headers });

describe('a page of static files', () => {
  it('is served without a token, under a policy that admits nothing inline and nothing foreign', async () => {
    const page = await ask([join(folder, 'absent'), join(folder, 'page')], '/console');
    expect(page).toMatchObject({
      status: 200,
      text: '<!doctype html>',
      headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
    });
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(page.headers['content-security-policy']).not.toMatch(/unsafe|\*|data:/);
  });

  it('keeps hashed files for ever, and packs them for clients that accept it', async () => {
    const plain = await ask([join(folder, 'page')], '/console/assets/index-12345678.js');
    expect(plain).toMatchObject({
      status: 200,
      text: 'export {};',
      headers: {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
      },
    });
    const packed = await ask([join(folder, 'page')], '/console/assets/index-12345678.js', {
      'accept-encoding': 'br, gzip',
    });
    expect(packed.headers['content-encoding']).toBe('gzip');
  });

  it.each([
    ['br, gzip;q=0.5', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip;q=0', undefined],
    ['br, gzip ; q=0.000, deflate', undefined],
    ['xgzip, gzip-old', undefined],
  ])('is packed for a client that takes %s: %s', async (encodings, expected) => {
    const { headers } = await ask([join(folder, 'page')], '/console', { 'accept-encoding': encodings });
    expect(headers['content-encoding']).toBe(expected);
  });

  it.each(['identity', 'gzip'])('is not sent again to a client that has it, packed or not: %s', async (encodings) => {
    const places = [join(folder, 'page')];
    const tag = String((await ask(places, '/console')).headers['etag']);
    const again = await ask(places, '/console', { 'if-none-match': tag, 'accept-encoding': encodings });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', tag]);
    expect(again.headers['content-encoding']).toBeUndefined();
    expect((await ask(places, '/console', { 'if-none-match': 'W/"other"' })).status).toBe(200);
  });

  it.each([
    '/console/assets/..%2Findex.html',
    '/console/assets/..%2F..%2Fsecret.txt',
    '/console/assets/index-87654321.js',
    '/console/index.html',
  ])('has nothing at %s', async (url) => {
    expect((await ask([join(folder, 'page')], url)).status).toBe(404);
  });

  it('says how to build it where it is not built', async () => {
    expect((await ask([join(folder, 'absent')], '/console')).json()).toMatchObject({
      code: 'not_found',
      detail: expect.stringContaining('npm run build'),
    });
  });
});
