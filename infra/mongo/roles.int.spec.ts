/** The grants against what services declare and do, and the script as an administrator's shell would run it. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { migratorOf, passwordFile, readerGrants, resolverOf, roleOf, serviceGrants, usersScript } from './roles';

const root = resolve(__dirname, '../..');

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'testing' ? [] : sourcesBelow(path);
    return name.endsWith('.ts') && !name.endsWith('.spec.ts') ? [readFileSync(path, 'utf8')] : [];
  });
}

/** Collections that a service declares in its store folders; the register of boots is declared by the boot that all share. */
function declaredBy(user: string): string[] {
  const declared = sourcesBelow(join(root, 'services', user, 'src')).flatMap((text) =>
    [...text.matchAll(/CollectionDeclaration<[^>]+>\s*=\s*\{\s*name:\s*'([^']+)'/g)].map(([, name]) => name ?? ''),
  );
  return [...new Set([...declared, 'executor_incarnations'])].sort();
}

describe.each(serviceGrants)('the database user $user', (grant) => {
  const { user, changed, appended = [], removed = [] } = grant;

  it('may use exactly the collections that its service declares', () => {
    expect([...changed, ...appended].sort()).toEqual(declaredBy(user));
  });

  it('may remove only what its service removes, and change no trail', () => {
    const actionsOn = (name: string): readonly string[] =>
      roleOf(grant).privileges.find(({ resource }) => 'collection' in resource && resource.collection === name)
        ?.actions ?? [];
    for (const name of [...changed, ...appended])
      expect([name, actionsOn(name).includes('remove')]).toEqual([name, removed.includes(name)]);
    for (const name of appended) expect(actionsOn(name)).not.toContain('update');
    const removes = sourcesBelow(join(root, 'services', user, 'src')).some((text) => /\.remove\(/.test(text));
    expect(removed.length > 0).toBe(removes);
  });

  it('reaches no database but its own', () => {
    for (const { privileges } of [roleOf(grant), migratorOf(grant), resolverOf(grant)]) {
      for (const { resource } of privileges) if ('db' in resource) expect(resource.db).toBe(grant.database);
      expect(JSON.stringify(privileges)).not.toMatch(/anyAction|readWrite|dbAdmin|dropDatabase|"remove".*migrate/);
    }
  });
});

describe.each(serviceGrants)('the off-line user of $user', (grant) => {
  const { changed, appended = [], resolved = [], noted = [] } = grant;
  const writing = ['insert', 'update', 'remove'];
  const { privileges } = resolverOf(grant);

  it('reads everything of its service, and writes only what a resolution writes', () => {
    const found = privileges.flatMap(({ resource, actions }) =>
      'collection' in resource
        ? [
            {
              name: resource.collection,
              reads: actions.includes('find'),
              writes: actions.filter((each) => writing.includes(each)),
            },
          ]
        : [],
    );
    expect(found).toEqual(
      [...changed, ...appended, 'schema_versions'].map((name) => ({
        name,
        reads: true,
        writes: [...(resolved.includes(name) ? ['update'] : []), ...(noted.includes(name) ? ['insert'] : [])],
      })),
    );
  });

  it('changes no trail, no register of boots and no version, and declares nothing', () => {
    expect([...resolved, ...noted].filter((name) => !changed.includes(name))).toEqual([]);
    expect(JSON.stringify(privileges)).not.toMatch(/createCollection|createIndex|listCollections|remove|drop/);
  });
});

describe('the script of the users', () => {
  it('stands in the repository as the table says', () => {
    expect(readFileSync(join(root, 'infra/mongo/users.js'), 'utf8')).toBe(
      usersScript([...serviceGrants, ...readerGrants]),
    );
  });

  it('lets the page host read its own data and nothing more', () => {
    for (const { database, privileges } of readerGrants.map(roleOf)) {
      const actions = privileges.flatMap(({ resource, actions: allowed }) => ('db' in resource ? allowed : []));
      expect({ database, actions }).toEqual({
        database: 'query_builder',
        actions: ['find', 'listCollections', 'listIndexes'],
      });
    }
  });

  it('makes every role and user once, brings them up to date when run again, and shows no password', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mongo-secrets-'));
    const calls: string[] = [];
    const printed: string[] = [];
    const known = new Set<string>();
    const sibling = (database: string) => {
      const make = (kind: string) => (value: { role?: string; user?: string }) =>
        void (known.add(`${database} ${value.role ?? value.user}`),
        calls.push(`${kind} ${database} ${value.role ?? value.user}`));
      return {
        getRole: (name: string) => known.has(`${database} ${name}`),
        getUser: (name: string) => known.has(`${database} ${name}`),
        createRole: make('role'),
        createUser: make('user'),
        updateRole: (name: string) => void calls.push(`again ${name}`),
        updateUser: (name: string) => void calls.push(`again ${name}`),
      };
    };
    try {
      for (const { user } of serviceGrants)
        for (const name of [user, `${user}-migrate`, `${user}-resolve`])
          writeFileSync(join(folder, passwordFile(name)), `password-of-${name}\n`);
      const sandbox = createContext({
        require,
        process: { env: { SECRETS_DIR: folder } },
        db: { getSiblingDB: sibling },
        print: (line: string) => void printed.push(line),
      });
      const run = () => runInContext(`(() => {${usersScript(serviceGrants)}})()`, sandbox);
      run();
      expect(calls).toEqual(
        serviceGrants.flatMap(({ user, database }) =>
          [user, `${user}-migrate`, `${user}-resolve`].flatMap((name) => [
            `role ${database} ${name}-role`,
            `user ${database} ${name}`,
          ]),
        ),
      );
      calls.length = 0;
      run();
      expect(calls.every((call) => call.startsWith('again '))).toBe(true);
      expect(printed.join()).not.toContain('password-of');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
