/**
 * A page project in a temporary folder, compiled, loaded and served without a socket; its commands are counted. For
 * tests only.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import {
  createAuthenticator,
  createHttpServer,
  mintToken,
  newSigningKey,
  publicKeySet,
  problem,
  type Caller,
  type HttpServer,
} from '@platform/http-server';
import { silentLog, type Log } from '@platform/kernel';
import { openTables, QueryTooSlowError, type Tables } from '@platform/mongo';
import { openTestDatabase, type Document } from '@platform/mongo/test-database';
import { problemPageOf } from '../../http/pages-charts';
import type { PageSignIn } from '../../http/pages-sign-in';
import { formCookie } from '../chart-page/session';
import { pageRoutes } from '../../http/pages-routes';
import { openPageCode } from '../page-code/open-page-code';
import { pageCodeHere } from '../page-code/page-code';
import { openCodeStore } from '../project/code-store';
import { createCompiler } from '../project/compile-pages';
import { judgePage } from '../project/judge-page';
import { createPageCatalog } from '../project/page-catalog';
import { createPageModules } from '../project/page-modules';
import { positionOf } from '../project/source-position';
import { scanProject } from '../project/scan-project';
import { createPageTrial } from '../supervision/page-trial';
import { pageCodes } from '../serving/codes';
import { createPageShelf, type PageShelf } from '../serving/page-shelf';
import { createQueryDesk, type DeskLimits } from '../serving/query-desk';
import type { ReadAccess } from '../serving/workspace-access';

const signingKey = newSigningKey();
const signing = { signingKey, issuer: 'test', audience: 'test' };

export interface TestPages {
  readonly server: HttpServer;
  readonly projectDir: string;
  /** The folder with the programs of its pages. */
  readonly codeFolder: string;
  /** The commands of the pages since the last call. */
  commands(): { readonly name: string; readonly body: Readonly<Record<string, unknown>> }[];
  insert(table: string, rows: readonly Document[]): Promise<void>;
  get(path: string, options?: GetOptions): ReturnType<HttpServer['inject']>;
  close(): Promise<void>;
}

interface GetOptions {
  readonly caller?: Partial<Caller> | null;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

let program: Promise<string> | undefined;

/** Builds the program of page code from its sources, once per test process. */
export function buildPageCode(): Promise<string> {
  program ??= (async () => {
    const outfile = join(mkdtempSync(join(tmpdir(), 'page-code-program-')), 'page-code.js');
    process.once('exit', () => rmSync(dirname(outfile), { recursive: true, force: true }));
    const root = join(__dirname, '../../../../..');
    await build({
      entryPoints: [join(__dirname, '../../page-code.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      tsconfig: join(root, 'tsconfig.base.json'),
      logLevel: 'silent',
    });
    return outfile;
  })();
  return program;
}

/** Writes the files of a project; the caller removes the folder. */
export function writeProject(files: Readonly<Record<string, string>>): string {
  const projectDir = mkdtempSync(join(tmpdir(), 'page-project-'));
  for (const [path, text] of Object.entries(files)) writeSource(projectDir, path, text);
  return projectDir;
}

function writeSource(projectDir: string, path: string, text: string): void {
  mkdirSync(dirname(join(projectDir, path)), { recursive: true });
  writeFileSync(join(projectDir, path), text);
}

async function testToken(caller: Partial<Caller>): Promise<string> {
  return mintToken({
    ...signing,
    lifetimeSeconds: 600,
    caller: {
      subject: 'u-1',
      email: 'u@example.com',
      role: 'user',
      workspaces: { t1: 'member' },
      permissions: ['shop.read'],
      ...caller,
    },
  });
}

interface ServePagesOptions {
  readonly maxTimeMs?: number;
  readonly timeLimits?: ReadonlyMap<string, number>;
  readonly desk?: Partial<DeskLimits>;
  /** Set to run page code in a separate process, as a worker does. */
  readonly apart?: { readonly silentMs?: number; readonly answerMs?: number; readonly log?: Log };
  /** Default: every workspace is open. */
  readonly access?: ReadAccess;
}

export async function servePages(
  projectDir: string,
  {
    maxTimeMs = 10_000,
    access = async () => ({ state: 'open' }),
    desk: limits,
    apart,
    ...more
  }: ServePagesOptions = {},
): Promise<TestPages> {
  const database = await openTestDatabase('pages');
  let seen: { name: string; body: Readonly<Record<string, unknown>> }[] = [];
  const tables: Tables = await openTables({
    url: database.url,
    database: database.name,
    appName: 'test',
    selectMs: 60_000,
    onCommand: (command) => void seen.push(command),
  });
  const store = openCodeStore();
  const compiler = createCompiler(projectDir, store);
  const compile = async () => compiler.compile(await scanProject(projectDir));
  const compilation = await compile();
  const modules = createPageModules(store.folder);
  const catalog = createPageCatalog((page, place) => positionOf(page, store.folder, place));
  const place = apart && { program: await buildPageCode(), codeFolder: store.folder };
  const trial = place && createPageTrial({ ...place, timeMs: 20_000, idleMs: 60_000 });
  const verdicts = await (trial?.judge(compilation.pages) ??
    Promise.all(compilation.pages.map((page) => judgePage(page, modules))));
  trial?.close();
  compilation.pages.forEach((page, at) => catalog.judge(page, verdicts[at]!));
  const changes = catalog.settle(compilation);
  if (catalog.problems().length > 0) {
    await tables.close();
    await database.drop();
    throw new Error(JSON.stringify(catalog.problems()));
  }
  const own =
    place &&
    openPageCode({
      ...place,
      log: silentLog,
      tenantTables: () => shelf.tenantTables(),
      restore: async () => void (await compile()),
      ...apart,
    });
  const code = own ?? pageCodeHere(modules);
  const shelf: PageShelf = createPageShelf({ pages: changes.set, unloaded: [] }, code, (problem) => {
    throw new Error(JSON.stringify(problem));
  });
  const auth = createAuthenticator({
    keys: { kind: 'keys', keySet: publicKeySet(signingKey) },
    issuer: signing.issuer,
    audience: signing.audience,
  });
  const signIn: PageSignIn = { auth, cookie: formCookie };
  const desk = createQueryDesk({ running: 4, waitMs: 10_000, keptMs: 5_000, shortWaitMs: 1_000, ...limits });
  const serving = { tables, code, access, desk, maxTimeMs, ...more };
  const mapError = (error: unknown) => (error instanceof QueryTooSlowError ? problem('query_too_slow') : undefined);
  const server = createHttpServer({
    name: 'test',
    version: '1.0.0',
    routes: pageRoutes(shelf, { ...serving, signIn }),
    codes: pageCodes,
    auth,
    readiness: {},
    log: silentLog,
    mapError,
    problemPage: problemPageOf(signIn),
  });
  return {
    server,
    projectDir,
    codeFolder: store.folder,
    commands() {
      const commands = seen;
      seen = [];
      return commands;
    },
    insert: database.insert,
    async get(path, { caller = {}, method = 'GET', headers = {} } = {}) {
      const authorization: Readonly<Record<string, string>> =
        caller === null ? {} : { authorization: `Bearer ${await testToken(caller)}` };
      return server.inject({ method, url: path, headers: { ...authorization, ...headers } });
    },
    async close() {
      await server.close();
      own?.close();
      await tables.close();
      await database.drop();
      store.remove();
      rmSync(projectDir, { recursive: true, force: true });
    },
  };
}
