/** The secret files of the off-line program are the same as in the delivered Compose file. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { environmentOf } from './off-line';

const compose = parse(readFileSync(resolve(__dirname, '../../../docker-compose.yml'), 'utf8')) as {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>;
};
const filesOf = (service: string) =>
  Object.fromEntries(
    Object.entries(compose.services[service]!.environment)
      .filter(([name, path]) => name.endsWith('_FILE') && path.startsWith('/run/secrets/'))
      .map(([name, path]) => [name, basename(path)]),
  );

describe('a folder of secret files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wsp-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const named = (words: readonly string[]) =>
    Object.fromEntries(
      Object.entries(environmentOf(folder, words))
        .filter(([name]) => name.endsWith('_FILE'))
        .map(([name, path]) => [name, basename(path)]),
    );

  it('gives the program nothing that is not in it', () => {
    expect(named(['list'])).toEqual({});
  });

  it('gives it what the Compose file gives it, and other database users for a migration', () => {
    for (const file of new Set([...Object.values(filesOf('ops')), ...Object.values(filesOf('ops-migrate'))]))
      writeFileSync(join(folder, file), 'x');
    expect(named(['list'])).toEqual(filesOf('ops'));
    expect(named(['migrate', '--apply'])).toMatchObject(
      Object.fromEntries(Object.entries(filesOf('ops-migrate')).filter(([name]) => name.startsWith('MONGODB_URL'))),
    );
  });

  it('gives way to the environment, of which MONGODB_URL names the databases of all services', () => {
    for (const file of Object.values(filesOf('ops'))) writeFileSync(join(folder, file), 'x');
    const left = (environment: Record<string, string>) =>
      Object.keys(filesOf('ops')).filter((name) => !(name in environmentOf(folder, ['list'], environment)));
    expect(left({ NATS_PASSWORD: 'own', STRIPE_SECRET_KEY_FILE: '/own' })).toEqual(
      expect.arrayContaining(['NATS_PASSWORD_FILE', 'STRIPE_SECRET_KEY_FILE']),
    );
    expect(left({ MONGODB_URL_OPERATOR: 'mongodb://own' })).toEqual(['MONGODB_URL_OPERATOR_FILE']);
    expect(left({ MONGODB_URL: 'mongodb://own' })).toHaveLength(4);
  });
});
