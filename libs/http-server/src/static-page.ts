/**
 * A browser page as static files: it contains no data and calls an API with the caller's token. The files are read
 * once; only existing names are served, so no path leads anywhere else. The policy allows no inline script or style.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { z } from 'zod';
import { problem } from './problem';
import { defineRoute, reply, type Route } from './route';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const compress = promisify<Buffer, Buffer>(gzip);

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

interface PageFile {
  readonly body: Buffer;
  /** Compressed when a browser first asks for it, so that a start does not wait for it. */
  readonly packed: () => Promise<Buffer>;
  readonly headers: Readonly<Record<string, string>>;
}

const acceptHeaders = z.object({ 'accept-encoding': z.string().max(500).optional() });

export interface StaticPage {
  /** The address of the page, without a final slash; a literal, so that routes are typed. */
  readonly base: '/console' | '/account' | '/dms/studio';
  /** For the documentation and for the refusal when the page was not built. */
  readonly title: string;
  /**
   * The first folder with `index.html` and `assets/` is served; the names in `assets/` contain a hash of the content.
   */
  readonly folders: readonly string[];
}

/** The routes of a page: the page itself, and its files below `assets/`. */
export function staticPageRoutes({ base, title, folders }: StaticPage): Route[] {
  const files = readFiles(folders);
  const serve = async (name: string, encodings: string | undefined) => {
    const file = files.get(name);
    if (!file)
      return problem('not_found', {
        detail: files.size === 0 ? `${title} is not built: run \`npm run build\`.` : undefined,
      });
    const packed = takesGzip(encodings);
    return reply(200, (packed ? await file.packed() : file.body) as unknown, {
      ...file.headers,
      ...(packed && { 'content-encoding': 'gzip' }),
    });
  };
  const facts = {
    method: 'GET',
    policy: 'public',
    undocumented: true,
    produces: types['.html']!,
    headers: acceptHeaders,
    responses: { 200: z.unknown() },
    errors: ['not_found'],
  } as const;
  return [
    defineRoute({
      ...facts,
      path: base,
      summary: title,
      handle: ({ headers }) => serve('index.html', headers['accept-encoding']),
    }),
    defineRoute({
      ...facts,
      path: `${base}/assets/:name`,
      summary: `A part of: ${title}`,
      handle: ({ headers, params }) => serve(`assets/${params.name}`, headers['accept-encoding']),
    }),
  ];
}

/** Whether a client takes gzip: it names it, and not with the weight 0 that refuses it (RFC 9110 §12.5.3). */
function takesGzip(encodings = ''): boolean {
  const named = encodings.split(',').find((each) => /^\s*gzip\s*(;|$)/i.test(each));
  return named !== undefined && !/;\s*q=0(\.0*)?\s*$/i.test(named);
}

function readFiles(folders: readonly string[]): Map<string, PageFile> {
  const folder = folders.find((each) => existsSync(join(each, 'index.html')));
  if (folder === undefined) return new Map();
  const assets = readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`);
  return new Map(['index.html', ...assets].map((name) => [name, readOne(folder, name)]));
}

function readOne(folder: string, name: string): PageFile {
  const body = readFileSync(join(folder, name));
  const hashed = name.startsWith('assets/');
  let compressing: Promise<Buffer> | undefined;
  return {
    body,
    packed: () => (compressing ??= compress(body)),
    headers: {
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'content-security-policy': contentSecurityPolicy,
      'cache-control': hashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
      // Weak, because the bytes differ with the encoding.
      etag: `W/"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    },
  };
}
