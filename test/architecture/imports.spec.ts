/**
 * Files of a library or a service do not import each other in a circle, not even their types. The areas of the gateway
 * depend on each other in one direction only, so code that moves money never depends on code that only reads.
 */
import { circlesOf, importGraph, importsOf, type ImportGraph } from './imports';

const graph = importGraph();

describe('the imports of the repository', () => {
  it('run in no circle', () => {
    expect(circlesOf(graph)).toEqual([]);
  });

  it('are read from values and types, and a circle of two or of three is found', () => {
    const folder = 'libs/kernel/src';
    expect(importsOf(`${folder}/x.ts`, "import type { Clock } from './clock';\nexport * from './ids';")).toEqual([
      `${folder}/clock.ts`,
      `${folder}/ids.ts`,
    ]);
    expect(importsOf('test/x.ts', "import { ok } from '@platform/kernel';")).toEqual([`${folder}/index.ts`]);
    const broken: ImportGraph = new Map([
      ['a', ['b']],
      ['b', ['a', 'c']],
      ['c', ['d']],
      ['d', ['e']],
      ['e', ['c']],
      ['f', ['a']],
    ]);
    expect(circlesOf(broken)).toEqual([
      ['c', 'd', 'e'],
      ['a', 'b'],
    ]);
  });
});

/** In this order: an area imports only areas before it, never one after it. */
const rooms = [
  'sign-in',
  'listing',
  'catalogue',
  'mirror',
  'access',
  'operations',
  'checkout',
  'provider-events',
  'migrations',
  'dead-letters',
  'contradictions',
  'reconciliation',
  'finance',
  'proposals',
  'casework',
  'work-queue',
  'cases',
  'creations',
  'directory',
  'account',
  'activity',
];
/** These areas read; nothing that changes a workspace or moves money imports them. */
const readingSide = ['casework', 'work-queue', 'cases', 'creations', 'directory', 'account', 'activity'];
const gateway = 'services/operator/src/';

function roomOf(file: string): string | null {
  const [first = '', ...rest] = file.startsWith(gateway) ? file.slice(gateway.length).split('/') : [];
  return rest.length > 0 && rooms.includes(first) ? first : null;
}

function againstTheOrder(imports: ImportGraph): string[] {
  return [...imports].flatMap(([file, targets]) => {
    const own = roomOf(file);
    if (own === null || /\.spec\.ts$|\/testing\//.test(file)) return [];
    return targets
      .filter((target) => {
        const room = roomOf(target);
        return room !== null && rooms.indexOf(room) > rooms.indexOf(own);
      })
      .map((target) => `${file} imports ${target}`);
  });
}

describe('the rooms of the gateway', () => {
  it('are those of the order, each with a source', () => {
    const found = new Set([...graph.keys()].map(roomOf).filter((room) => room !== null));
    expect([...found].sort()).toEqual([...rooms].sort());
    const folders = new Set(
      [...graph.keys()]
        .filter((file) => file.startsWith(gateway) && file.slice(gateway.length).includes('/'))
        .map((file) => file.slice(gateway.length).split('/')[0]!),
    );
    expect([...folders].filter((folder) => !rooms.includes(folder)).sort()).toEqual(['cli', 'store', 'testing']);
  });

  it('import only rooms before them', () => {
    expect(againstTheOrder(graph)).toEqual([]);
  });

  it('that change anything never import the reading side', () => {
    expect(rooms.slice(-readingSide.length)).toEqual(readingSide);
  });

  it('are caught when one imports a room after it', () => {
    const file = `${gateway}operations/workflows/run-operation.ts`;
    const broken: ImportGraph = new Map([[file, [`${gateway}checkout/workflows/start-checkout.ts`]]]);
    expect(againstTheOrder(broken)).toHaveLength(1);
  });
});
