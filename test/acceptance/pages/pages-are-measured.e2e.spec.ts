/** The metrics of a query builder with two serving processes: of all of them, whichever answers a request or a scrape. */
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { eventually } from '@platform/testing';
import { startPageService, type PageService } from './page-service';

let service: PageService;
beforeAll(async () => {
  service = await startPageService({ env: { PAGE_WORKERS: '2' } });
});
afterAll(() => service?.stop());

/** Over a connection of its own, so that either process may accept it. */
function get(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${service.url}${path}`, { agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => (text += part));
      answer.on('end', () => resolve(text));
    });
    sent.on('error', reject).end();
  });
}

/** The series of a metric with its values, by the process that they are of. */
async function seriesOf(selected: RegExp): Promise<Map<string, number>> {
  const lines = (await get('/metrics')).split('\n').filter((line) => selected.test(line));
  return new Map(
    lines.map((line) => [/process="(\w+)"/.exec(line)?.[1] ?? '', Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

const sum = (series: Map<string, number>) => [...series.values()].reduce((all, one) => all + one, 0);

describe('the metrics of pages', () => {
  it('count each request once, whichever process answers it', async () => {
    for (let index = 0; index < 20; index += 1) await get('/api/builder/problems');
    const answered = /^http_server_request_duration_seconds_count\{.*route="\/api\/builder\/problems".*status="401"/;
    await eventually(async () => sum(await seriesOf(answered)) === 20, { describe: 'the count of 20 requests' });
    await eventually(
      async () => {
        // While the supervisor compiles, a scrape shows the worker that accepts it.
        const processes = await seriesOf(/^process_start_time_seconds\{/);
        return [...processes.keys()].sort().join() === '1,2,supervisor';
      },
      { describe: 'the metrics of both workers and their supervisor' },
    );
  });

  it('say how many pages do not load, and that store and broker answer', async () => {
    const page = join(service.projectDir, 'pages/shop/orders/page.ts');
    const text = readFileSync(page, 'utf8');
    const show = (notLoading: number) =>
      eventually(
        async () => {
          const named = ['pages_not_loading', 'store_away', 'broker_away'].map((name) => new RegExp(`^${name}\\{`));
          const read = await Promise.all(named.map(async (name) => [...new Set((await seriesOf(name)).values())]));
          expect(read).toEqual([[notLoading], [0], [0]]);
          return true;
        },
        { describe: `${notLoading} pages that do not load` },
      );
    await show(0);
    writeFileSync(page, `${text}\nthis is no program`);
    await show(1);
    writeFileSync(page, text);
    await show(0);
  });
});
