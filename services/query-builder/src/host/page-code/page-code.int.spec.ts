/** Pages attempt what page code may not do: each attack runs in the process that runs page code in production. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '@platform/kernel';
import { servePages, writeProject, type TestPages } from '../testing/serve-pages';
import { testProject } from '../testing/project';
import { hasNetworkNamespaces, spawnPageCode } from './spawn-page-code';

const base = '/dms/pages/shop/attack';

/**
 * A page whose routes run the given bodies in requests, but not in the trial; what they throw is part of the answer.
 */
function pageOf(routes: Readonly<Record<string, string>>, head = ''): string {
  const methods = Object.entries(routes).map(
    ([name, body]) => `
  @Get('/stats/${name.toLowerCase()}')
  async ${name}(@PagePermission(AttackPage) user: PageUser, @Model(OrdersModel) model: any) {
    if (user.id === 'rehearsal') return { value: await model.count('paid') };
    try { ${body} } catch (error: any) { return { thrown: String(error?.code ?? '') + ' ' + String(error?.message ?? error) }; }
  }`,
  );
  return `import { defineCalculation, defineResource, Get, Model, Page, PagePermission, TableModel, type PageUser } from '@platform/page-runtime';
import { OrdersModel } from '../../../resources/orders/model';
${head}
@Page({ title: 'Attack', permission: 'shop.read' })
export class AttackPage {${methods.join('\n')}
}
`;
}

const stolen = defineStolen();
function defineStolen(): string {
  return `
const stolen = defineResource('orders', { tenantScoped: false, fields: { total: { type: 'price' } } });
class Stolen extends TableModel<any> { readonly resource = stolen; all() { return this.rows().count(); } figure(by: any) { return this.rows().calculate(by, {}); } }
const counted = (more: any) => [{ $match: { createdAt: { $gte: new Date('2026-01-01') } } }, { $group: { _id: null, y: { $sum: more } } }];
const since = defineCalculation({ id: 'since', measure: 'count', compile: () => counted(1) });
const inside = defineCalculation({ id: 'inside', measure: 'count', compile: () => counted({ $function: { body: 'function () { return 1 }', args: [], lang: 'js' } }) });
`;
}

/** The known ways to the process object and to modules that work in an unconfined process. */
const wayOut = `
  const ways: any = {};
  const attempt = (name: string, work: () => any) => { try { const got = work(); ways[name] = got === undefined ? 'nothing' : typeof got; } catch (error: any) { ways[name] = 'refused'; } };
  const global = Function('return this')();
  attempt('process', () => global.process);
  attempt('fetch', () => global.fetch);
  attempt('WebSocket', () => global.WebSocket);
  attempt('navigator', () => global.navigator);
  attempt('require', () => global.require);
  attempt('mainModule', () => module.constructor._load);
  attempt('callSites', () => {
    const found: any[] = [];
    const before = Error.prepareStackTrace;
    Error.prepareStackTrace = (_e: Error, sites: any[]) => sites;
    const sites = new Error().stack;
    Error.prepareStackTrace = before;
    for (const site of sites) found.push(site.getThis?.(), site.getFunction?.());
    return found.find((each) => each?.process || each?.mainModule || each?._load);
  });
  attempt('console', () => console._stdout ?? console.log.constructor('return process')());
  attempt('timer', () => (setTimeout(() => 0, 0)).constructor.constructor('return process')());
  return ways;
`;

describe('the code of a page', () => {
  let pages: TestPages;
  const said: unknown[] = [];
  const get = async (path: string, caller = {}) => (await pages.get(`${base}/stats/${path}`, { caller })).json();

  beforeAll(async () => {
    const routes = {
      wayOut,
      tenants: `const at: any = new Stolen(model.access); return { value: await at.all() };`,
      other: `const access = model.access; return { value: await access.scalar(model.resource, { kind: 'scalar', where: [], op: 'count', tenantId: 't2' }) };`,
      operator: `const access = model.access; return { value: await access.scalar({ ...model.resource, name: 'system.users' }, { kind: 'scalar', where: [], op: 'count', tenantId: 't1' }) };`,
      forever: `for (;;);`,
      memory: `const held: any[] = []; for (;;) held.push(new Array(1_000_000).fill(held.length));`,
      later: `setTimeout(() => { throw new Error('later'); }, 0); await new Promise((done) => setTimeout(done, 50)); return { value: 1 };`,
      bare: `return Promise.reject(Object.create(null));`,
      bareLater: `setTimeout(() => { throw Object.create(null); }, 0); await new Promise((done) => setTimeout(done, 50)); return { value: 1 };`,
      figure: `return { value: await new Stolen(model.access).figure(since) };`,
      code: `return { value: await new Stolen(model.access).figure(inside) };`,
      constant: `return { value: 7 };`,
      large: `return { value: 1, more: 'x'.repeat(5_000_000) };`,
      proto: `Object.defineProperty(Object.prototype, 'polluted', { value: 'yes', configurable: true }); return { value: 1 };`,
      says: `console.log('hello', { a: 1 }); return { value: 1 };`,
    };
    pages = await servePages(writeProject({ ...testProject, 'pages/shop/attack/page.ts': pageOf(routes, stolen) }), {
      apart: { silentMs: 8_000, log: { ...silentLog, info: (fields) => void said.push(fields) } },
    });
    const row = (tenantId: string) => ({ tenantId, status: 'paid', total: 1, createdAt: new Date('2026-01-01') });
    await pages.insert('orders', [row('t1'), row('t2'), row('t2')]);
  });
  afterAll(async () => {
    await pages.close();
  });

  it('finds no process, no network and no loader of modules in what it is given', async () => {
    const ways = (await get('wayout')) as Record<string, string>;
    expect(Object.keys(ways).length).toBeGreaterThan(7);
    for (const [name, got] of Object.entries(ways))
      expect([name, ['nothing', 'refused'].includes(got)]).toEqual([name, true]);
  });

  it('reads the rows of the tenant of its request, whatever it declares and asks for', async () => {
    expect(await get('tenants')).toEqual({ value: 1 });
    expect(await get('other')).toEqual({ value: 1 });
    expect(await get('tenants', { workspaces: { t2: 'member' } })).toEqual({ value: 2 });
    expect((await pages.get(`${base}/stats/tenants`, { caller: { workspaces: {} } })).status).toBe(403);
  });

  it('brings calculations of its own, over the rows of the tenant, that run no code in the database', async () => {
    expect(await get('figure')).toEqual({ value: 1 });
    expect((await pages.get(`${base}/stats/code`)).status).toBe(500);
    expect(await get('constant')).toEqual({ value: 7 });
  });

  it('cannot ask for a table that no page may have; the process that tries is ended', async () => {
    expect((await pages.get(`${base}/stats/operator`)).status).toBe(500);
    expect(await get('constant')).toEqual({ value: 7 });
  });

  it.each(['forever', 'memory'])('ends its own process with %s, and no other request after it', async (path) => {
    expect((await pages.get(`${base}/stats/${path}`)).status).toBe(500);
    expect(await get('constant')).toEqual({ value: 7 });
    expect((await pages.get('/dms/pages/shop/orders/stats/count?status=paid')).json()).toEqual({ value: 1 });
  });

  it('is given up when it never answers, and its process goes on', async () => {
    const routes = { silent: `await new Promise(() => undefined);`, constant: `return { value: 7 };` };
    const project = writeProject({ ...testProject, 'pages/shop/attack/page.ts': pageOf(routes) });
    // Longer than a start on a busy machine, because the limit counts from the request.
    const patient = await servePages(project, { apart: { answerMs: 15_000 } });
    try {
      expect((await patient.get(`${base}/stats/silent`)).status).toBe(500);
      expect((await patient.get(`${base}/stats/constant`)).status).toBe(200);
    } finally {
      await patient.close();
    }
  });

  it('says no more at once than the serving process can hold, which would end with every other page', async () => {
    expect(await pages.get(`${base}/stats/large`)).toMatchObject({ status: 500 });
    expect(await get('constant')).toEqual({ value: 7 });
  });

  it('throws later than its answer without harm', async () => {
    expect(await get('later')).toEqual({ value: 1 });
    expect(await get('constant')).toEqual({ value: 7 });
  });

  it('throws what has no text, later and as its answer, without harm', async () => {
    expect(await get('barelater')).toEqual({ value: 1 });
    expect((await pages.get(`${base}/stats/bare`)).status).toBe(500);
    expect(await get('constant')).toEqual({ value: 7 });
  });

  it('changes no object of the process that serves', async () => {
    await get('proto');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('writes to the log of the service by its console alone', async () => {
    await get('says');
    expect(said).toContainEqual({ text: 'hello {"a":1}' });
  });

  it.each([
    'node:fs',
    'fs',
    'node:net',
    'node:child_process',
    'node:process',
    'node:module',
    'node:vm',
    'node:worker_threads',
    'node:http',
    'node:inspector',
    'node:os',
  ])('may not import %s: the page is reported and not served', async (name) => {
    const files = {
      'pages/shop/attack/page.ts': pageOf({ x: 'return reached;' }, `import * as reached from '${name}';`),
    };
    await expect(servePages(writeProject({ ...testProject, ...files }), { apart: {} })).rejects.toThrow(
      'it reaches outside',
    );
  });

  it('imports what computes and reaches nothing', async () => {
    const head = `import { join } from 'node:path';`;
    const own = await servePages(
      writeProject({
        ...testProject,
        'pages/shop/attack/page.ts': pageOf({ x: `return { value: join('a', 'b') };` }, head),
      }),
      { apart: {} },
    );
    expect((await own.get(`${base}/stats/x`)).json()).toEqual({ value: 'a/b' });
    await own.close();
  });
});

/** A program that has escaped every confinement of the language attempts what its process may do. */
const escaped = `
const tries = {
  environment: () => JSON.stringify(process.env),
  password: () => require('node:fs').readFileSync('/etc/passwd', 'utf8'),
  parent: () => require('node:fs').readFileSync('/proc/' + process.ppid + '/environ', 'utf8'),
  folder: () => require('node:fs').readdirSync('/').join(),
  write: () => require('node:fs').writeFileSync(__filename, '//') ?? 'written',
  process: () => require('node:child_process').execFileSync('/bin/true') && 'ran',
  thread: () => new (require('node:worker_threads').Worker)('0', { eval: true }) && 'began',
  addon: () => process.dlopen({ exports: {} }, '/nothing.node'),
};
const found = {};
for (const [name, attempt] of Object.entries(tries)) {
  try { found[name] = attempt(); } catch (error) { found[name] = error.code ?? error.message; }
}
process.on('message', ({ port }) => {
  const socket = require('node:net').connect(port, '127.0.0.1');
  const say = (network) => process.send({ ...found, network });
  socket.once('connect', () => say('reached')).once('error', (error) => say(error.code));
});
`;

describe('the process of page code', () => {
  it('holds what gets out of the language: no environment, file, process, thread or network', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'escaped-'));
    const program = join(folder, 'escaped.js');
    writeFileSync(program, escaped);
    const witness = createServer();
    await new Promise<void>((resolve) => witness.listen(0, '127.0.0.1', resolve));
    process.env['JWT_SECRET'] = 'a canary that no page may read, of 32 bytes';
    const codeFolder = mkdtempSync(join(tmpdir(), 'codes-'));
    const child = spawnPageCode({ program, codeFolder });
    child.send({ port: (witness.address() as AddressInfo).port });
    const [found] = (await once(child, 'message')) as [Record<string, string>];
    child.kill('SIGKILL');
    delete process.env['JWT_SECRET'];
    witness.closeAllConnections();
    await new Promise((resolve) => witness.close(resolve));
    for (const each of [folder, codeFolder]) rmSync(each, { recursive: true, force: true });
    expect(Object.keys(JSON.parse(found['environment']!) as object).filter((name) => !/^NODE_/.test(name))).toEqual([]);
    for (const name of ['password', 'parent', 'folder', 'write', 'process', 'thread'])
      expect([name, found[name]]).toEqual([name, 'ERR_ACCESS_DENIED']);
    expect(found['addon']).toMatch(/ERR_(DLOPEN_DISABLED|ACCESS_DENIED)/);
    // Where the system grants no namespace, the network policy of the deployment confines the process.
    expect(found['network'] === 'reached').toBe(!hasNetworkNamespaces());
  });
});
