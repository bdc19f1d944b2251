/** The words of the repository: what `docs/style.md` avoids is in no page, no comment and no sentence of the product. */
import {
  avoided,
  avoidedIn,
  commentsOf,
  findingsIn,
  maybe,
  namesAndTextsOf,
  proseOf,
  sentencesOf,
  type Finding,
} from './prose';
import { files, text } from './tree';

/** Texts that are not written here: the specification is a copy, the changelog is history. */
const notOurs = /^(docs\/specification\.md|CHANGELOG\.md|\.github\/)|(^|\/)(LICENSE|CHANGELOG)/;
/** Files that contain avoided words as a list or as an example. */
const lists = /^test\/architecture\/(prose(\.spec)?|messages\.spec)\.ts$/;
/** Their sentences are titles of tests. What other programs under `test` print is read by people who run them. */
const isTest = /\.(spec|features|harness)\.tsx?$|^test\/(acceptance|lint-canaries)\//;

const sources = files().filter(
  (file) =>
    /^(libs|services|infra|test|examples|docs)\/.*\.([cm]?[jt]s|tsx)$/.test(file) &&
    !lists.test(file) &&
    maybe(text(file)),
);
const pages = files().filter((file) => file.endsWith('.md') && !notOurs.test(file) && file !== 'docs/style.md');

const shown = (found: readonly Finding[]): string[] =>
  found.map(({ at, found: words, instead }) => `${at}: “${words}”: ${instead}`);

describe('the words of the house', () => {
  it('are found where they are avoided, and let be in code and in other senses', () => {
    const found = (source: string) =>
      commentsOf('a.ts', source)
        .flatMap(findingsIn)
        .map(({ at, found: words }) => `${at} ${words}`);
    expect(found('/** Nobody waits.\n * Whoever asks is told so. */\nconst a = 1; // it stands\n')).toEqual([
      'a.ts:1 Nobody',
      'a.ts:2 Whoever',
      'a.ts:2 is told',
      'a.ts:3 stands',
    ]);
    expect(found('/** Its source stands in the file. */')).toEqual(['a.ts:1 stands']);
    expect(found('/** A twin stands in for it. */')).toEqual([]);
    expect(found('/** `nobody` of the table; the the store stands in for it. */')).toEqual(['a.ts:1 the']);
    expect(
      sentencesOf('a.tsx', "const a = <p>Nobody is at work here now.</p>; const b = 'nobody';").flatMap(findingsIn),
    ).toHaveLength(1);
    expect(sentencesOf('a.ts', 'const a = `Nobody serves ${subject}`;').flatMap(findingsIn)).toHaveLength(1);
    const page = 'const a = `<h1>No</h1>\n<p>Nobody was signed in (HTTP ${status}).</p>`;';
    expect(sentencesOf('a.ts', page).flatMap(findingsIn)).toHaveLength(1);
    expect(findingsIn(proseOf('a.md', '# A\n\n```\nnobody\n```\nIt is told.\n'))).toMatchObject([{ at: 'a.md:6' }]);
    const example = '# A\n\n```sh\n# nobody reads it\necho nobody # nobody\n```\n';
    expect(findingsIn(proseOf('a.md', example))).toMatchObject([{ at: 'a.md:4' }]);
    expect(avoided.length).toBeGreaterThan(5);
  });

  it('are found in names, titles and single words', () => {
    const found = (source: string) =>
      namesAndTextsOf('a.spec.ts', source)
        .flatMap(avoidedIn)
        .map(({ found: words }) => words);
    expect(found("const whatNobodyHas = { IS_AWAY: 'anew' };")).toEqual(['Nobody', 'IS AWAY', 'anew']);
    expect(found("it('stands', () => undefined); const a = 'keeps-what-nobody-has', b = /be had/;")).toEqual([
      'stands',
      'nobody',
      'be had',
    ]);
    expect(found("const standInParts = 'a stand-in', b = { stands: true }, understands = 1;")).toEqual([]);
  });

  it('are in no page', () => {
    expect(shown(pages.flatMap((file) => findingsIn(proseOf(file, text(file)))))).toEqual([]);
  });

  it('are in no comment', () => {
    expect(shown(sources.flatMap((file) => commentsOf(file, text(file)).flatMap(findingsIn)))).toEqual([]);
  });

  it('are in no sentence of the product', () => {
    const product = sources.filter((file) => !isTest.test(file));
    expect(shown(product.flatMap((file) => sentencesOf(file, text(file)).flatMap(findingsIn)))).toEqual([]);
  });

  it('are in no name of a file, no name in code, and no title or text of a test', () => {
    expect(shown(files().flatMap((file) => avoidedIn({ file, line: 1, text: file })))).toEqual([]);
    expect(shown(sources.flatMap((file) => namesAndTextsOf(file, text(file)).flatMap(avoidedIn)))).toEqual([]);
  });
});
