/**
 * Everything that a comment or a document cites exists in the repository. The rule: a sign § follows the name of a
 * document of `docs` (`specification §6`, `contracts §4.1`, `workflows §2.4` for the fourth step of section 2); a bare
 * sign is refused. A list names documents of others (RFC 9457). `L1` and `I1` are entries of `docs/laws.md` and
 * `docs/invariants.md`. Every relative link and image of a Markdown file resolves, with its anchor.
 */
import {
  anchorsOf,
  brokenCitations,
  brokenLinks,
  missingSources,
  sectionsOf,
  unknownMarks,
  type Library,
  type Tree,
} from './citations';
import { invariants } from '../../libs/testing/src/history';
import { files, text } from './tree';

const all = files();
const known = new Set(all);
const folders = new Set(all.flatMap((file) => file.split('/').map((_part, at, parts) => parts.slice(0, at).join('/'))));
const markdown = all.filter((file) => file.endsWith('.md'));
const cites = all.filter(
  (file) =>
    /\.(md|[cm]?[jt]sx?|ya?ml|conf|sh)$/.test(file) &&
    !file.startsWith('test/architecture/citations') &&
    !/\/(sample-project|project-template|canary|vectors)\//.test(file),
);

const marksOf = (file: string): string[] => [...text(file).matchAll(/^## ([IL]\d+) /gm)].map((found) => found[1]!);

const library: Library = {
  sections: (document) => (known.has(`docs/${document}.md`) ? sectionsOf(text(`docs/${document}.md`)) : undefined),
  marks: new Set([...marksOf('docs/laws.md'), ...marksOf('docs/invariants.md')]),
};
const tree: Tree = {
  has: (target) => target === '.' || known.has(target) || folders.has(target),
  anchors: (file) => anchorsOf(text(file)),
};

const inEach = (list: readonly string[], problemsOf: (file: string) => string[]): string[] =>
  list.flatMap((file) => problemsOf(file).map((problem) => `${file}: ${problem}`));

describe('a citation', () => {
  it('names a document and a section that exist', () => {
    expect(inEach(cites, (file) => brokenCitations(text(file), library))).toEqual([]);
  });

  it('of a law or an invariant has its entry', () => {
    expect(inEach(cites, (file) => unknownMarks(text(file), library))).toEqual([]);
  });

  it('finds all invariants of the checker and seven laws', () => {
    expect(marksOf('docs/invariants.md')).toEqual(invariants.map(({ id }) => id));
    expect(marksOf('docs/laws.md')).toEqual(['L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7']);
  });
});

describe('a link of a document', () => {
  it.each(markdown)('in %s leads to a tracked file and a heading of it', (file) => {
    expect(brokenLinks(file, text(file), tree)).toEqual([]);
  });
});

describe('a file that the README of a package names', () => {
  it.each(markdown.filter((file) => /[^/]\/README\.md$/.test(file)))('in %s exists', (file) => {
    expect(missingSources(file, text(file), tree)).toEqual([]);
  });

  it('is looked for in the folder of the one before, in a row of a table', () => {
    const row = '| `src/host/a.ts`, `b.ts`, `src/c` | reads `d.ts` |\n`e.ts`';
    const has = (...there: string[]) => ({
      has: (path: string) => there.includes(path),
      anchors: () => new Set<string>(),
    });
    expect(missingSources('libs/x/README.md', row, has('libs/x/src/host/a.ts', 'libs/x/src/b.ts'))).toEqual([
      'libs/x/src/host/b.ts',
      'libs/x/src/c',
    ]);
  });
});

describe('the recipe for an operator action', () => {
  it('names each spec that does not compile without a row for the action', () => {
    const [recipe = ''] = text('CONTRIBUTING.md').split('## Recipe: add an operator action')[1]!.split('\n## ');
    const specs = cites.filter(
      (file) => file.endsWith('.spec.ts') && /\bin OperationAction\]:|Record<OperationAction,/.test(text(file)),
    );
    expect(specs.length).toBeGreaterThan(1);
    expect(specs.filter((file) => !recipe.includes(`\`${file.split('/').at(-1)}\``))).toEqual([]);
  });
});

describe('the check of citations', () => {
  const shelf: Library = {
    sections: (document) =>
      document === 'specification' ? sectionsOf('## 6. Events\n\n1. one\n2. two\n\n### 6.3 Sub\n') : undefined,
    marks: new Set(['L1', 'I14']),
  };

  it.each([
    ['a bare sign', '(§6 says so)'],
    ['a sign after no word', '"Rules" §6'],
    ['a document that is not there', 'see design §6'],
    ['a section that is not there', 'specification §7'],
    ['a section of a list that is not there', 'specification §§6, 8'],
    ['a second sign whose section is not there', 'specification §6, §9'],
    ['a rule that is not there', 'specification §6 rule 5'],
    ['a step that is not there', 'specification §6.4'],
    ['a sign without a number', 'specification § six'],
    ['a citation over two lines of a comment', ' * as the specification\n * §7 says'],
  ])('refuses %s', (_what, cited) => {
    expect(brokenCitations(cited, shelf)).toHaveLength(1);
  });

  it.each([
    ['specification §6'],
    ['Specification §6.2, and more'],
    ['(specification §§6, 6.3)'],
    ['specification §6 rules 1 and 2'],
    ['specification §6, 23 hours'],
    [' * as the specification\n * §6 says'],
    ['problem documents of RFC 9457 §3.1'],
  ])('takes %j', (cited) => {
    expect(brokenCitations(cited, shelf)).toEqual([]);
  });

  it('refuses a law and an invariant without an entry', () => {
    expect(unknownMarks('laws L1 and L8, invariants I14 and I15', shelf)).toEqual(['L8', 'I15']);
  });
});

describe('the check of links', () => {
  const page = '# One thing\n\n## A `code` & more\n\n## Again\n\n## Again\n';
  const small: Tree = {
    has: (target) => ['docs/a.md', 'docs', 'src/x.ts'].includes(target),
    anchors: () => anchorsOf(page),
  };

  it.each([
    ['a file that is not there', '[b](b.md)'],
    ['an image that is not there', '![b](pictures/b.png)'],
    ['a path that leaves the folder wrongly', '[x](src/x.ts)'],
    ['a heading that is not there', '[a](a.md#two-things)'],
    ['a heading of its own that is not there', '[a](#nowhere)'],
    ['an anchor into source', '[x](../src/x.ts#L3)'],
    ['a reference that is not there', '[b]: b.md'],
    ['markup that is not there', '<img src="b.png">'],
  ])('refuses %s', (_what, link) => {
    expect(brokenLinks('docs/c.md', link, small)).toHaveLength(1);
  });

  it.each([
    ['[a](a.md)'],
    ['[a](a.md#one-thing)'],
    ['[a](a.md#a-code--more)'],
    ['[a](a.md#again-1)'],
    ['[x](../src/x.ts "title")'],
    ['[all](../docs/)'],
    ['[web](https://example.com/b.md)'],
    ['`[code](b.md)`'],
    ['```\n[code](b.md)\n```'],
  ])('takes %j', (link) => {
    expect(brokenLinks('docs/a.md', link, small)).toEqual([]);
  });
});
