import { z } from 'zod';
import { secret } from './environment';
import { runService, type ServiceContext } from './run-service';
import { createTestHost } from './test-host';

const schema = z.object({
  PORT: z.coerce.number().int().min(1).max(65_535).default(7010),
  MONGODB_URL: z.url().describe('the document store'),
  TOKEN_SECRET: secret(z.string().min(32)),
});
const environment = {
  MONGODB_URL: 'mongodb://user:hunter2hunter2@127.0.0.1:7017/operator',
  TOKEN_SECRET: 'canary-canary-canary-canary-canary',
};

/** A service whose composition the test observes. */
function createService(compose?: (context: ServiceContext<z.output<typeof schema>>) => Promise<void>) {
  let composed: (context: ServiceContext<z.output<typeof schema>>) => void;
  const context = new Promise<ServiceContext<z.output<typeof schema>>>((resolve) => {
    composed = resolve;
  });
  const definition = {
    name: 'operator',
    schema,
    compose: async (given: ServiceContext<z.output<typeof schema>>) => {
      await compose?.(given);
      composed(given);
      return { url: 'http://127.0.0.1:7010' };
    },
  };
  return { definition, context };
}

describe('a service process', () => {
  it('tells every variable that is wrong and ends with 78, showing no value', async () => {
    const host = createTestHost({ PORT: '99999999', MONGODB_URL: '', TOKEN_SECRET: 'short-canary', LOG_LEVEL: 'loud' });
    expect(await runService(createService().definition, host)).toBe(78);
    const text = host.complaints.join('');
    for (const variable of ['PORT', 'MONGODB_URL: is not set (the document store)', 'TOKEN_SECRET', 'LOG_LEVEL']) {
      expect(text).toContain(`  ${variable}`);
    }
    expect(text).not.toContain('canary');
    expect(host.exits).toEqual([78]);
  });

  it('starts with a summary without secrets, freezes the configuration and names its executor', async () => {
    const host = createTestHost(environment);
    const { definition, context } = createService();
    const ended = runService(definition, host);
    const { config, executor } = await context;
    expect(Object.isFrozen(config)).toBe(true);
    expect(executor).toMatchObject({ service: 'operator', instance: 'operator-1' });
    await host.logged('ready');
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(host.output.join('')).not.toMatch(/canary|hunter2/);
    expect(host.lines()[0]).toMatchObject({
      message: 'starting',
      instance: 'operator-1',
      incarnation: executor.incarnation,
      configuration: { PORT: 7010, TOKEN_SECRET: '[set]' },
    });
    expect(host.lines().map(({ message }) => message)).toEqual(['starting', 'ready', 'stopping', 'stopped']);
  });

  it('closes what it opened, last in first out, at the first signal', async () => {
    const host = createTestHost(environment);
    const closed: string[] = [];
    const { definition, context } = createService(async ({ open }) => {
      await open('store', Promise.resolve('store'), (name) => closed.push(name));
      await open('broker', 'broker', (name) => closed.push(name));
    });
    const ended = runService(definition, host);
    await context;
    host.signal('SIGINT');
    expect(await ended).toBe(0);
    expect(closed).toEqual(['broker', 'store']);
    expect(host.exits).toEqual([0]);
  });

  it('ends at once at the second signal', async () => {
    const host = createTestHost(environment);
    let release: () => void = () => undefined;
    const { definition, context } = createService(async ({ open }) => {
      await open('slow', 0, () => new Promise<void>((resolve) => (release = resolve)));
    });
    const ended = runService(definition, host);
    await context;
    host.signal('SIGTERM');
    host.signal('SIGTERM');
    expect(host.exits).toEqual([1]);
    release();
    await ended;
  });

  it.each(['unhandledRejection', 'uncaughtException'])('ends in order with 1 after an %s', async (origin) => {
    const host = createTestHost(environment);
    const closed: string[] = [];
    const { definition, context } = createService(async ({ open }) => {
      await open('store', 'store', (name) => closed.push(name));
    });
    const ended = runService(definition, host);
    await context;
    host.fail(new Error('no handler caught this'), origin);
    expect(await ended).toBe(1);
    expect(closed).toEqual(['store']);
    expect(host.lines()).toContainEqual(
      expect.objectContaining({
        level: 'fatal',
        reason: origin,
        error: expect.objectContaining({ message: 'no handler caught this' }),
      }),
    );
  });

  it('releases what was opened when the composition fails', async () => {
    const host = createTestHost(environment);
    const closed: string[] = [];
    const { definition } = createService(async ({ open }) => {
      await open('store', 'store', (name) => closed.push(name));
      throw new Error('a stream is missing');
    });
    expect(await runService(definition, host)).toBe(1);
    expect(closed).toEqual(['store']);
  });

  it('releases at once what is opened after the end began', async () => {
    const host = createTestHost(environment);
    const closed: string[] = [];
    let connect: (value: string) => void = () => undefined;
    const connecting = new Promise<string>((resolve) => (connect = resolve));
    let settled: Promise<unknown> = Promise.resolve();
    const { definition } = createService(({ open }) => {
      const opening = open('late', connecting, (name) => closed.push(name)).then(() => undefined);
      settled = opening.catch((error: Error) => error.name);
      return opening;
    });
    const ended = runService(definition, host);
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
    connect('late');
    expect(await settled).toBe('ClosingError');
    expect(closed).toEqual(['late']);
  });

  it('ends with 1 when something fails while it stops', async () => {
    const host = createTestHost(environment);
    let release: () => void = () => undefined;
    const { definition, context } = createService(async ({ open }) => {
      await open('slow', 0, () => new Promise<void>((resolve) => (release = resolve)));
    });
    const ended = runService(definition, host);
    await context;
    host.signal('SIGTERM');
    host.fail(new Error('late'), 'unhandledRejection');
    release();
    expect(await ended).toBe(1);
  });

  it('ends with 1 when a release fails', async () => {
    const host = createTestHost(environment);
    const { definition, context } = createService(async ({ open }) => {
      await open('broken', 0, () => Promise.reject(new Error('cannot close')));
    });
    const ended = runService(definition, host);
    await context;
    host.signal('SIGTERM');
    expect(await ended).toBe(1);
  });

  it('takes a connection that ends because the service closes it for no failure', async () => {
    const host = createTestHost(environment);
    const { definition, context } = createService(async ({ open, stop }) => {
      await open('broker', 0, () => stop('the connection to the broker has ended'));
    });
    const ended = runService(definition, host);
    await context;
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
  });

  it('ends with 1 when the service itself asks for it', async () => {
    const host = createTestHost(environment);
    const { definition, context } = createService();
    const ended = runService(definition, host);
    (await context).stop('the broker closed the connection');
    expect(await ended).toBe(1);
  });
});
