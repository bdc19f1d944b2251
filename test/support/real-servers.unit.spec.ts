import { containers } from './containers';
import { images, openRealServers, type ContainerRuntime, type RunSettings } from './real-servers';

interface FakeRuntime extends ContainerRuntime {
  readonly started: string[];
  readonly stopped: string[];
  calls: number;
}

function createRuntime({
  missing,
  there = Object.values(images),
  failing,
}: { missing?: string; there?: string[]; failing?: string } = {}): FakeRuntime {
  const runtime: FakeRuntime = {
    started: [],
    stopped: [],
    calls: 0,
    missing: async () => ((runtime.calls += 1), missing),
    hasImage: async (image) => there.includes(image),
    start: async (server, image) => {
      if (server === failing) throw new Error(`${image} does not start`);
      runtime.started.push(image);
      return { url: `real://${server}`, stop: async () => void runtime.stopped.push(image) };
    },
  };
  return runtime;
}

const open = (runtime: ContainerRuntime, environment: RunSettings['environment'] = {}, wholeRun = true) =>
  openRealServers({ environment, wholeRun, runtime });

describe('real servers of a test run', () => {
  it('are containers where a runtime is found, and stop with the run', async () => {
    const runtime = createRuntime();
    const { mongodb, nats, skipped, forEverySuite, stop } = await open(runtime);
    expect([mongodb?.url, nats?.url, skipped, forEverySuite]).toEqual([
      'real://MongoDB',
      'real://NATS',
      undefined,
      false,
    ]);
    await stop();
    expect(runtime.stopped).toEqual(['mongo:5.0', 'nats:2.12.12-alpine']);
  });

  it('are missing with one line where no runtime is found', async () => {
    const runtime = createRuntime({ missing: 'no container runtime is found' });
    const { mongodb, nats, skipped } = await open(runtime);
    expect([mongodb, nats, runtime.started, runtime.calls]).toEqual([undefined, undefined, [], 1]);
    expect(skipped).toBe(
      'Suites for real servers are skipped. MongoDB: no container runtime is found; NATS: no container runtime is found. MONGODB_URL and NATS_URL name existing ones.',
    );
  });

  it('are the ones that the environment names, whatever runtime there is', async () => {
    const runtime = createRuntime();
    const { mongodb, nats, skipped, stop } = await open(runtime, {
      MONGODB_URL: 'mongodb://there',
      NATS_URL: 'nats://there',
    });
    expect([mongodb?.url, nats?.url, skipped]).toEqual(['mongodb://there', 'nats://there', undefined]);
    await stop();
    expect([runtime.calls, runtime.started]).toEqual([0, []]);
  });

  it('are one of each kind when the environment names one', async () => {
    const { mongodb, nats, skipped } = await open(createRuntime({ missing: 'none' }), { NATS_URL: 'nats://there' });
    expect([mongodb, nats?.url]).toEqual([undefined, 'nats://there']);
    expect(skipped).toContain('MongoDB: none. MONGODB_URL');
  });

  it('fetch no image that was not asked for', async () => {
    const runtime = createRuntime({ there: [images.NATS] });
    const { mongodb, nats, skipped } = await open(runtime);
    expect([mongodb, nats?.url, runtime.started]).toEqual([undefined, 'real://NATS', [images.NATS]]);
    expect(skipped).toContain('image mongo:5.0 is not on this machine, TEST_CONTAINERS=1 fetches it');
  });

  it('fetch images and serve every suite with TEST_CONTAINERS=1, also in a run of chosen suites', async () => {
    const runtime = createRuntime({ there: [] });
    const { forEverySuite } = await open(runtime, { TEST_CONTAINERS: '1' }, false);
    expect([forEverySuite, runtime.started]).toEqual([true, Object.values(images)]);
  });

  it.each([
    ['a run of chosen suites', {}, false],
    ['TEST_CONTAINERS=0', { TEST_CONTAINERS: '0' }, true],
  ] as const)('do not look for a runtime in %s', async (_case, environment, wholeRun) => {
    const runtime = createRuntime();
    const { mongodb, nats, skipped } = await open(runtime, environment, wholeRun);
    expect([mongodb, nats, skipped, runtime.calls]).toEqual([undefined, undefined, undefined, 0]);
  });

  it('are skipped when a container does not start that was not asked for', async () => {
    const { mongodb, nats, skipped } = await open(createRuntime({ failing: 'NATS' }));
    expect([mongodb?.url, nats]).toEqual(['real://MongoDB', undefined]);
    expect(skipped).toContain('NATS: image nats:2.12.12-alpine did not start (nats:2.12.12-alpine does not start)');
  });

  it('fail the run that asked for them, and leave no container behind, when one does not start', async () => {
    const runtime = createRuntime({ failing: 'NATS' });
    await expect(open(runtime, { TEST_CONTAINERS: '1' })).rejects.toThrow('nats:2.12.12-alpine does not start');
    expect(runtime.stopped).toEqual([images.MongoDB]);
  });

  it('refuse another wish', async () => {
    await expect(open(createRuntime(), { TEST_CONTAINERS: 'yes' })).rejects.toThrow(
      'TEST_CONTAINERS is 0, 1, nats, mongodb or absent, not yes',
    );
  });
});

describe('the container runtime of this machine', () => {
  it('answers, or says in one line that it is missing', async () => {
    const missing = await containers.missing();
    expect(missing ?? 'it answers').toMatch(
      /^(it answers|no container runtime is found|a container runtime is installed and does not answer)$/,
    );
  });
});

describe('a run that asks for one server in a container', () => {
  it('has that one and leaves the other alone', async () => {
    const runtime = createRuntime({ there: [], failing: 'MongoDB' });
    const { mongodb, nats, forEverySuite, skipped } = await open(runtime, { TEST_CONTAINERS: 'nats' }, false);
    expect([mongodb, nats?.url, forEverySuite, skipped]).toEqual([undefined, 'real://NATS', true, undefined]);
    expect(runtime.started).toEqual([images.NATS]);
  });
});
