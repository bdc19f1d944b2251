/**
 * A page author's work: rows for the sample shop, a query written as TypeScript over HTTP, served to a reader, charted,
 * and removed without a trace.
 */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Chapter, Stage } from './stage';

const page = '/shop/orders';
const retryPolicy = { tries: 200, pauseMs: 100 };

interface Written {
  readonly ok: boolean;
  readonly data: { readonly query: string; readonly route: string };
}

async function play({ builder, run, expect }: Stage): Promise<void> {
  const { root, projectDir, environment } = builder;
  const sources = (): string[] =>
    ['pages/shop/orders/page.ts', 'resources/orders/model.ts'].map((file) =>
      readFileSync(join(projectDir, file), 'utf8'),
    );
  const before = sources();
  await promisify(execFile)(
    process.execPath,
    [join(root, 'dist/services/query-builder/builder.js'), 'sample', '--rows', '2000', '--yes'],
    { cwd: root, env: environment },
  );
  const name = `demo${run}`;
  const series = {
    name,
    resource: 'orders',
    template: 'series',
    params: {
      groupBy: 'createdAt',
      bucket: 'month',
      timezone: 'Europe/Paris',
      op: 'sum',
      field: 'total',
      where: [{ field: 'status', op: 'eq', value: 'paid' }],
    },
  };
  const added = await builder.owner.post<Written>('/api/builder/AddQuery', { pageRef: page, input: series });
  expect('a query is written into the page and its model', added.status === 200 && added.body.ok, added.body);
  if (!added.body.ok) return;
  expect('its TypeScript is in the source', sources()[1]?.includes(`${name}()`) === true);
  let served: { readonly series?: readonly { readonly y: number }[] } = {};
  for (let tries = 0; tries < retryPolicy.tries && served.series === undefined; tries += 1) {
    const answer = await builder.reader.get<typeof served>(added.body.data.route);
    if (answer.status === 200) served = answer.body;
    else await delay(retryPolicy.pauseMs);
  }
  const total = (served.series ?? []).reduce((sum, { y }) => sum + y, 0);
  expect(`the page serves ${served.series?.length ?? 0} months of it, ${total.toFixed(2)} in all`, total > 0, served);
  const removed = await builder.owner.post<{ ok: boolean }>('/api/builder/RemoveQuery', {
    query: added.body.data.query,
  });
  expect(
    'removed, both files are what they were to the byte',
    removed.body.ok && sources().every((text, index) => text === before[index]),
    removed.body,
  );
}

export const writeQuery: Chapter = { title: 'Write a query, serve it, take it back', play };
