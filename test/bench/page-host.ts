/**
 * A page host with many pages: its start, its memory, and the time from AddQuery to the first answer of the new route,
 * in the heap that the local platform gives it. `HOSTED_PAGES=1,100,1000,10000` chooses the sizes, `BENCH_SAMPLES` the
 * edits.
 */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { mintToken, newSigningKey, publicKeySet } from '@platform/http-server';
import { startAccessOwner } from '../support/access-owner';
import { cpuMsOfTree } from './cpu-time';
import { getJson } from './lean-client';
import { progress, summarise, type BenchReport } from './report';
import { startProcess } from './start-process';

const sizes = (process.env['HOSTED_PAGES'] ?? '1,100,1000,10000').split(',').map(Number);
const samples = Number(process.env['BENCH_SAMPLES'] ?? 20);
const signingKey = newSigningKey();
const models = 20;
const methods = 1_000;
/** The heap that the local platform gives the service. */
const heapMb = 160;

const resourceText = (name: string): string =>
  `import { defineResource } from '@platform/page-runtime';\n\nexport const ${name} = defineResource('${name}', {\n  fields: { status: { type: 'string' }, total: { type: 'price' }, createdAt: { type: 'date' } },\n});\n`;

function modelText(name: string): string {
  const one = (number: number): string =>
    `\n  count${number}() {\n    return this.rows()\n      .where('total', 'gt', ${number})\n      .groupBy('status')\n      .measure('count')\n      .orderBy('group', 'asc');\n  }\n`;
  const all = Array.from({ length: methods }, (_unused, number) => one(number)).join('');
  return `import { TableModel } from '@platform/page-runtime';\nimport { ${name} } from './resource';\n\nexport class Model extends TableModel<typeof ${name}> {\n  readonly resource = ${name};\n${all}}\n`;
}

function pageText(number: number): string {
  const one = (route: number): string =>
    `  @Get('/stats/count-${route}')\n  async count${route}(\n    @PagePermission(Page${number}) _user: PageUser,\n    @Model(Rows) model: Rows,\n  ) {\n    return { series: await model.count${(number + route) % methods}() };\n  }\n`;
  const routes = Array.from({ length: 5 }, (_unused, route) => one(route)).join('\n');
  return `import { Get, Model, Page, PagePermission, type PageUser } from '@platform/page-runtime';\nimport { Model as Rows } from '../../resources/r${number % models}/model';\n\n@Page({ title: 'Page ${number}', permission: 'bench.read' })\nexport class Page${number} {\n${routes}}\n`;
}

function makeProject(pages: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'page-host-bench-'));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (let number = 0; number < models; number += 1) {
    write(`resources/r${number}/resource.ts`, resourceText(`r${number}`));
    write(`resources/r${number}/model.ts`, modelText(`r${number}`));
  }
  for (let number = 0; number < pages; number += 1) write(`pages/page-${number}/page.ts`, pageText(number));
  return folder;
}

/** Memory of a process and those that it started, shared pages once, in MB. */
function memoryOf(pid: number): number {
  const own = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return Number(own ?? 0) / 1_024 + children.reduce((sum, child) => sum + memoryOf(Number(child)), 0);
}

async function measure(pages: number, storeUrl: string, natsUrl: string): Promise<string[]> {
  const folder = makeProject(pages);
  const begun = performance.now();
  const service = await startProcess(
    [`--max-old-space-size=${heapMb}`, 'dist/services/query-builder/main.js'],
    {
      PORT: '0',
      PAGE_PROJECT_DIR: folder,
      MONGODB_URL: storeUrl,
      MONGODB_DATABASE: 'page-host',
      NATS_URL: natsUrl,
      JWT_PUBLIC_KEYS: publicKeySet(signingKey),
      JWT_AUDIENCE: 'workspace-platform',
      PLATFORM_MODE: 'local',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_FORMAT: 'json',
    },
    /"url":"(http:[^"]+)","message":"ready"/,
  );
  const startMs = performance.now() - begun;
  const authorization = `Bearer ${await mintToken({
    signingKey,
    issuer: 'workspace-platform',
    audience: 'workspace-platform',
    lifetimeSeconds: 24 * 3_600,
    caller: {
      subject: 'bench',
      email: 'b@example.com',
      role: 'platform_owner',
      workspaces: {},
      permissions: ['bench.read'],
    },
  })}`;
  const statusOf = async (path: string): Promise<number> =>
    (await getJson(`${service.url}/dms/pages${path}`, { authorization })).status;
  const add = async (number: number): Promise<string> => {
    const where = [{ field: 'total', op: 'gt', value: number }];
    const input = { name: `fresh${number}`, resource: 'r0', template: 'count', params: { where } };
    const answer = await fetch(`${service.url}/api/builder/AddQuery`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ pageRef: '/page-0', input }),
    });
    if (answer.status !== 200) throw new Error(`AddQuery: ${answer.status} ${await answer.text()}`);
    return `/page-0/stats/fresh${number}`;
  };
  try {
    const startedMb = memoryOf(service.child.pid!);
    for (let page = 0; page < Math.min(10, pages); page += 1)
      if ((await statusOf(`/page-${page}/stats/count-1`)) !== 200) throw new Error(`page ${page} is not served`);
    const usedMb = memoryOf(service.child.pid!);
    const times: number[] = [];
    let spentMs = 0;
    for (let number = 0; number < samples + 3; number += 1) {
      const edited = performance.now();
      const before = cpuMsOfTree(service.child.pid!);
      const path = await add(number);
      while ((await statusOf(path).catch(() => 0)) !== 200);
      // The first edits start the writer and the process that tries pages.
      if (number < 3) continue;
      times.push(performance.now() - edited);
      spentMs += cpuMsOfTree(service.child.pid!) - before;
    }
    const editedMb = memoryOf(service.child.pid!);
    const { p50Ms, p99Ms } = summarise(times, 1_000);
    return [
      pages.toLocaleString('en'),
      (startMs / 1_000).toFixed(1),
      ...[startedMb, usedMb, editedMb].map((mb) => mb.toFixed(0)),
      p50Ms.toFixed(0),
      p99Ms.toFixed(0),
      (spentMs / samples).toFixed(0),
    ];
  } finally {
    service.child.kill('SIGTERM');
    await once(service.child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

export async function benchPageHost(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'page-host-store-'));
  const args = ['dist/libs/embedded-mongo/main.js', '--port', '0', '--data', folder];
  const store = await startProcess(args, {}, /^ready (\S+)$/);
  const owner = await startAccessOwner();
  try {
    const rows: string[][] = [];
    for (const pages of sizes) {
      progress(`${pages.toLocaleString('en')} pages`);
      rows.push(await measure(pages, store.url, owner.natsUrl));
    }
    return {
      title: 'A page host with many pages',
      head: [
        'pages',
        'start s',
        'MB at start',
        'MB, 10 pages asked',
        'MB after edits',
        'edit to answer p50 ms',
        'p99 ms',
        'CPU ms per edit',
      ],
      rows,
      notes: [
        `${models} models of ${methods} methods, five routes per page, a heap of ${heapMb} MB per process. ${samples} times AddQuery over HTTP, then the new route asked until it answers. Memory is that of the service, its worker and the process that tries pages, shared pages once (PSS); so is the CPU time.`,
      ],
    };
  } finally {
    store.child.kill('SIGTERM');
    await once(store.child, 'exit');
    await owner.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
