/** The grants, compared with what services declare and do, and the script as an administrator's shell would run it. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { createRoleRules } from './role-rules.harness';
import { migratorOf, passwordFile, readerGrants, resolverOf, roleOf, serviceGrants, usersScript } from './roles';

const root = resolve(__dirname, '../..');

function sourcesBelow(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return name === 'testing' ? [] : sourcesBelow(path);
    return name.endsWith('.ts') && !name.endsWith('.spec.ts') ? [readFileSync(path, 'utf8')] : [];
  });
}

/** Collections of libs/durable, by the name under which a service declares them. */
const ofTheFloor: Readonly<Record<string, string>> = {
  interruptionNoticesCollection: 'interruption_notices',
  instanceBlocksCollection: 'instance_audit_blocks',
};

/**
 * Collections that a service declares in its store folders; the register of boots is declared by the boot that all
 * services share.
 */
function declaredBy(user: string): string[] {
  const sources = sourcesBelow(join(root, 'services', user, 'src'));
  const taken = Object.entries(ofTheFloor).filter(([name]) => sources.some((text) => text.includes(name)));
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/CollectionDeclaration<[^>]+>\s*=\s*\{\s*name:\s*'([^']+)'/g)].map(([, name]) => name ?? ''),
  );
  return [...new Set([...declared, ...taken.map(([, name]) => name), 'executor_incarnations'])].sort();
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
  it('is checked in as the table says', () => {
    expect(readFileSync(join(root, 'infra/mongo/users.js'), 'utf8')).toBe(
      usersScript([...serviceGrants, ...readerGrants]),
    );
  });

  it('lets the page host read its own data and nothing more', () => {
    for (const { database, privileges } of readerGrants.map(roleOf)) {
      const actions = privileges.flatMap(({ resource, actions: allowed }) => ('db' in resource ? allowed : []));
      expect({ database, actions }).toEqual({
        database: 'query_builder',
        actions: ['find', 'listCollections', 'listIndexes', 'changeStream'],
      });
    }
  });

  const allGrants = [...serviceGrants, ...readerGrants];
  const usersOf = ({ user, changed }: (typeof allGrants)[number]): string[] =>
    changed.length > 0 ? [user, `${user}-migrate`, `${user}-resolve`] : [user];

  /** The script as an administrator's shell runs it, twice, on a server that refuses what MongoDB refuses. */
  function played(script: string) {
    const folder = mkdtempSync(join(tmpdir(), 'mongo-secrets-'));
    const printed: string[] = [];
    const server = createRoleRules();
    try {
      for (const name of allGrants.flatMap(usersOf))
        writeFileSync(join(folder, passwordFile(name)), `password-of-${name}\n`);
      const sandbox = createContext({
        require,
        process: { env: { SECRETS_DIR: folder } },
        db: { getSiblingDB: server.getSiblingDB },
        print: (line: string) => void printed.push(line),
      });
      const run = (): string[] => {
        runInContext(`(() => {${script}})()`, sandbox);
        return server.calls.splice(0);
      };
      return { first: run(), again: run(), printed, server };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  it('makes every role and user once, brings them up to date when run again, and shows no password', () => {
    const { first, again, printed } = played(usersScript(allGrants));
    expect(first).toEqual([
      'role admin default-concern-reader',
      ...allGrants.flatMap((grant) =>
        usersOf(grant).flatMap((name) => [`role ${grant.database} ${name}-role`, `user ${grant.database} ${name}`]),
      ),
    ]);
    expect(again).toEqual(first.map((call) => `again ${call}`));
    expect(printed.join()).not.toContain('password-of');
  });

  it('lets only the users that start a service read the default write concern', () => {
    const { server } = played(usersScript(allGrants));
    for (const grant of allGrants)
      for (const user of usersOf(grant)) {
        const actions = server.privilegesOf(grant.database, user).flatMap((privilege) => privilege.actions);
        expect([user, actions.includes('getDefaultRWConcern')]).toEqual([user, !user.endsWith('-migrate')]);
      }
  });

  it('would be refused with a privilege on the cluster in the database of a service', () => {
    const ofTheCluster = '{"resource":{"cluster":true},"actions":["getDefaultRWConcern"]}';
    const before = usersScript(allGrants).replace(
      '"role":"operator-role","privileges":[',
      (text) => `${text}${ofTheCluster},`,
    );
    expect(() => played(before)).toThrow(/InvalidRoleModification.*'operator' database/);
    expect(() => played(usersScript(allGrants).replace('"find"', '"findAnything"'))).toThrow(/Unrecognized action/);
    expect(() =>
      played(usersScript(allGrants).replace("makeRole(db.getSiblingDB('admin')", "void (db.getSiblingDB('admin')")),
    ).toThrow(/RoleNotFound/);
  });
});
