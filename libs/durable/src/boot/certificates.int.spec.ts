/** The certificates of brokers are read as the next connection would get them, and their expiry is known in advance. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { createServer, type Server } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { createManualClock } from '@platform/kernel';
import { observeCertificates, watchCertificates } from './certificates';

interface Made {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** The delivered certificate maker is an ES module, which the test runner cannot load. */
function make(authorityDays: number, days: number): Made {
  const module = JSON.stringify(join(resolve(__dirname, '../../../..'), 'infra/docker/certificates.mjs'));
  const program = `import { createAuthority } from ${module};
    const authority = createAuthority('suite', ${authorityDays});
    console.log(JSON.stringify({ ca: authority.certificate, ...authority.issue(['127.0.0.1'], ${days}) }));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  ) as Made;
}

const servers: Server[] = [];
async function serve({ certificate: cert, key }: Made) {
  const server = createServer({ cert, key });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, renew: (next: Made) => server.setSecureContext({ cert: next.certificate, key: next.key }) };
}
afterAll(() => Promise.all(servers.map((server) => new Promise((done) => server.close(done)))));

/** Whole days: the certificates were made moments ago. */
const daysLeft = (watch: ReturnType<typeof watchCertificates>): number =>
  Math.round(((watch.endsAt()?.getTime() ?? NaN) - Date.now()) / 86_400_000);

it('say the earliest end of all brokers, also of one that has ended', async () => {
  const [long, short, over] = [make(900, 300), make(900, 40), make(900, -1)];
  const [a, b, c] = await Promise.all([long, short, over].map(serve));
  const of = async (urls: readonly string[]) => {
    const watch = watchCertificates(urls.join(','), [long.ca, short.ca, over.ca].join(''));
    await watch.look();
    return daysLeft(watch);
  };
  expect(await of([a!.url])).toBe(300);
  expect(await of([a!.url, b!.url])).toBe(40);
  expect(await of([a!.url, b!.url, c!.url])).toBe(-1);
});

it('count the authority that signed, and not one that is only trusted for a rotation', async () => {
  const [own, old] = [make(30, 300), make(5, 300)];
  const { url } = await serve(own);
  const watch = watchCertificates(url, `${old.ca}\n${own.ca}`);
  await watch.look();
  expect(daysLeft(watch)).toBe(30);
});

it('are seen when they are renewed under an open broker, and remembered while none answers', async () => {
  const { url, renew } = await serve(make(900, 10));
  const watch = watchCertificates(url, make(900, 1).ca);
  expect(watch.endsAt()).toBeNull();
  await watch.look();
  expect(daysLeft(watch)).toBe(10);
  renew(make(900, 400));
  await watch.look();
  expect(daysLeft(watch)).toBe(400);
  await new Promise((done) => servers.at(-1)!.close(done));
  await expect(watch.look()).rejects.toThrow('no broker shows its certificate');
  expect(daysLeft(watch)).toBe(400);
});

it('fall day by day without another look, and are no figure before the first', () => {
  const figures = new Map<string, () => number | Promise<number>>();
  const clock = createManualClock();
  let endsAt: Date | null = null;
  observeCertificates({ observedGauge: ({ name }, read) => void figures.set(name, read) }, clock, {
    endsAt: () => endsAt,
  });
  const read = figures.get('broker_certificate_days_left')!;
  expect(read).toThrow('no broker has shown');
  endsAt = new Date(clock.now().getTime() + 20 * 86_400_000);
  expect(read()).toBe(20);
  clock.advance(18 * 86_400_000);
  expect(read()).toBe(2);
});
