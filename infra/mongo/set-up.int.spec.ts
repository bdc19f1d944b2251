/** The scripts of `mongo-setup` as mongosh runs them, with a set in each state that a run may find. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';

const members = ['mongo-0.mongo:27017', 'mongo-1.mongo:27017', 'mongo-2.mongo:27017'];

interface SetState {
  /** The members' states once the set exists; undefined before `rs.initiate`. */
  states?: string[];
  /** How many status checks pass until a member is elected. */
  electionIn: number;
}

/** What mongosh offers to the scripts; `said` lists what they print and do. */
function shellOn(set: SetState, folder: string) {
  const said: string[] = [];
  const connect = (url: string) => {
    const reachable = url.includes('directConnection=true') || set.states?.includes('PRIMARY') === true;
    said.push(`${reachable ? 'signed on' : 'no primary'}: ${url.replace(/root:[^@]*@/, '')}`);
    if (!reachable) throw new Error('Server selection timed out after 10000 ms');
    return {};
  };
  const rs = {
    status: () => {
      if (!set.states) throw Object.assign(new Error('no replset config'), { codeName: 'NotYetInitialized' });
      if ((set.electionIn -= 1) === 0) set.states = set.states.map((state, at) => (at === 1 ? 'PRIMARY' : state));
      return { members: set.states.map((stateStr) => ({ stateStr })) };
    },
    initiate: (config: { members: { host: string }[] }) => {
      said.push(`initiated: ${config.members.map(({ host }) => host).join(', ')}`);
      set.states = config.members.map(() => 'SECONDARY');
    },
  };
  const env = { MONGO_MEMBERS: members.join(','), SECRETS_DIR: folder };
  let now = 0;
  const context = createContext({
    require,
    connect,
    rs,
    process: { env },
    db: undefined,
    print: (line: string) => void said.push(line),
    sleep: (ms: number) => void (now += ms),
    Date: { now: () => now },
  });
  return {
    said,
    run: (script: string) => void runInContext(readFileSync(join(__dirname, script), 'utf8'), context),
  };
}

describe('the set-up of MongoDB', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'mongo-set-up-'));
    writeFileSync(join(folder, 'mongo_root_password'), 'the-password\n');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('makes a set where there is none, through the first member, and waits for a primary', () => {
    const shell = shellOn({ electionIn: 3 }, folder);
    shell.run('connect.js');
    shell.run('replica-set.js');
    expect(shell.said.filter((line) => !line.includes('signing on'))).toEqual([
      `no primary: mongodb://${members.join(',')}/admin?authSource=admin&replicaSet=rs0&serverSelectionTimeoutMS=10000`,
      `signed on: mongodb://${members[0]}/admin?authSource=admin&directConnection=true`,
      `initiated: ${members.join(', ')}`,
      'replica set rs0 has its primary',
    ]);
  });

  it('signs on to the primary after a failover, whichever member that is, and changes no set', () => {
    const shell = shellOn({ states: ['SECONDARY', 'PRIMARY', 'SECONDARY'], electionIn: 0 }, folder);
    shell.run('connect.js');
    shell.run('replica-set.js');
    expect(shell.said).toEqual([
      `signed on: mongodb://${members.join(',')}/admin?authSource=admin&replicaSet=rs0&serverSelectionTimeoutMS=10000`,
      'replica set rs0 has its primary',
    ]);
  });

  it('ends with an error when no member is elected, so that the job tries again', () => {
    const shell = shellOn({ states: ['SECONDARY', 'SECONDARY', 'SECONDARY'], electionIn: -1 }, folder);
    shell.run('connect.js');
    expect(() => shell.run('replica-set.js')).toThrow(/no primary after 120 s/);
  });

  it('shows no password', () => {
    const shell = shellOn({ electionIn: 1 }, folder);
    shell.run('connect.js');
    expect(shell.said.join()).not.toContain('the-password');
    expect(readFileSync(join(__dirname, 'mongo-setup.sh'), 'utf8')).not.toContain('password');
  });
});
