/**
 * All services start in one way: only `@platform/durable/boot` connects, registers a boot and creates an HTTP server.
 */
import { readEnvironment } from '@platform/service-host';
import { configurationSchemas } from './reference-tables';
import { files, text } from './tree';

const starts =
  /\b(connectStore|connectMessaging|createHttpServer|createStripeProvider|registerIncarnation|createDatabaseClock|keepMeasuring|createOutboxRelay)\(|\breadiness:/;

/** The sources of processes: neither people's commands, nor test set-ups, nor the page host, which keeps no records. */
const running = files().filter(
  (file) =>
    /^services\/[^/]+\/src\/.+\.ts$/.test(file) &&
    !/\.spec\.ts$|\/testing\/|\/src\/(ops|seed)\.ts$|\/src\/cli\/|^services\/query-builder\//.test(file),
);

/** The one part that is also assembled on ports of tests, with its own relay. */
const assembled = ['services/lifecycle-delivery/src/delivery.ts'];

describe('the start of a service', () => {
  it('is nowhere but in the boot that all share', () => {
    expect(running.filter((file) => /\/compose\.ts$/.test(file))).toHaveLength(4);
    expect(running.filter((file) => starts.test(text(file)) && !assembled.includes(file))).toEqual([]);
  });

  it('would be seen: the boot itself shows each of its signs', () => {
    const boot = files().filter((file) => /^libs\/durable\/src\/boot\/(?!.*\.spec\.ts$)/.test(file));
    expect(boot.some((file) => starts.test(text(file)))).toBe(true);
    for (const sign of ['createHttpServer({', 'await connectStore(options)', '    readiness: {', 'readiness: checks,'])
      expect(sign).toMatch(starts);
  });

  it('declares the register of boots once', () => {
    const declaring = files().filter(
      (file) =>
        /\/src\/.+\.ts$/.test(file) && !/\.spec\.ts$/.test(file) && text(file).includes("'executor_incarnations'"),
    );
    expect(declaring).toEqual(['libs/durable/src/boot/incarnations.ts']);
  });
});

describe('a lost race', () => {
  /** Where a decision is made outside libs/durable, and why it is not a decision on one document. */
  const elsewhere: Readonly<Record<string, string>> = {
    'services/operator/src/access/workflows/publish-access.ts': 'the value is in a bucket of the broker',
    'services/operator/src/mirror/workflows/refresh-mirrors.ts': 'the provider is read between reading and removing',
    'services/operator/src/operations/workflows/fence-executor.ts':
      'a writer that fences others does not wait for a store',
    'services/operator/src/operations/workflows/perform-attempt.ts': 'the operation and its plans are read again, too',
    'services/operator/src/work-queue/workflows/refresh-item.ts': 'the owner of the row is asked again, too',
    'services/provisioning/src/workflows/commit-creation.ts': 'it follows the marker, which has been decided',
  };
  const again = /\bfor \(let race\b|\bwhile \([^)]*\brace/;

  it('is decided again in one place, and elsewhere for a reason', () => {
    const loops = files().filter(
      (file) =>
        /^(services|libs)\/.+\/src\/.+\.ts$/.test(file) &&
        !/\.spec\.ts$|\/testing\//.test(file) &&
        again.test(text(file)),
    );
    expect(loops).toEqual(['libs/durable/src/record/decide.ts', ...Object.keys(elsewhere)]);
  });
});

describe('the environment of a service', () => {
  const variables = Object.entries(configurationSchemas).flatMap(([service, schema]) =>
    Object.keys(schema.shape).map((variable) => [service, variable] as const),
  );

  it.each(variables)('of %s is read to its end with any text in %s', (service, variable) => {
    const schema = configurationSchemas[service]!;
    for (const given of ['nonsense', '\u00a7 \u0001', '-1', '{}', 'http://', 'https:', '/a,b=c', '1e999']) {
      expect(() => readEnvironment(schema, { [variable]: given })).not.toThrow();
    }
  });
});
