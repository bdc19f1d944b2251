import {
  beginningKey,
  beginsLike,
  isNear,
  nearKeys,
  searchKeysOf,
  searchLimits,
  withSearchKeys,
  wordsIn,
  wordsOf,
} from './search-keys';

const workspace = {
  _id: 'fleet-7',
  workspaceName: 'Müller & Søhne Logistik',
  owner: { email: 'Ann.Lee@globex.example' },
  provider: { customerId: 'cus_Abc123', subscriptionId: 'sub_Xyz789' },
};
const shares = (a: readonly string[], b: readonly string[]) => a.some((key) => b.includes(key));

describe('the words of a workspace', () => {
  it('are folded to lower case without accents, each once', () => {
    expect(wordsIn('Müller  MULLER', 'É-é')).toEqual(['muller', 'e']);
    expect(wordsOf(workspace)).toEqual([
      ...['muller', 'søhne', 'logistik', 'ann', 'lee', 'globex', 'example', 'fleet', '7'],
      ...['cus', 'abc123', 'sub', 'xyz789'],
    ]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['of texts one by one', ['Acme', 'Globex'], ['acme', 'globex']],
    ['without signs around them', [' -Acme- & "Globex"!'], ['acme', 'globex']],
    ['with digits of any script', ['Acme2 ٣ Søn'], ['acme2', '٣', 'søn']],
    ['none for signs alone', ['--', ''], []],
  ])('are read %s', (_how, texts, words) => expect(wordsIn(...texts)).toEqual(words));

  it('are those of its name and its id where it has no owner and no provider', () => {
    const bare = { _id: 'fleet-7', workspaceName: 'Logistik', provider: {} };
    expect(wordsOf(bare)).toEqual(['logistik', 'fleet', '7']);
    expect(wordsOf({ ...bare, owner: {} })).toEqual(['logistik', 'fleet', '7']);
  });

  it('are limited, whatever the name', () => {
    const words = Array.from({ length: 50 }, (_, at) => `word${at}andmuchmore`);
    const wordy = { ...workspace, workspaceName: words.join(' ') };
    expect(wordsOf(wordy)).toEqual(words.slice(0, searchLimits.wordsPerWorkspace));
    expect(searchKeysOf(wordy).length).toBeLessThanOrEqual(
      searchLimits.wordsPerWorkspace * (2 * searchLimits.keyCharacters + 1),
    );
  });
});

describe('the keys of a workspace', () => {
  const small = { _id: 'b1', workspaceName: 'Acme', provider: { customerId: 'cus_1234' } };

  it('are the beginnings of each word, and what is left of a remembered word without one letter', () => {
    const beginnings = ['1', '12', '123', '1234', 'a', 'ac', 'acm', 'acme', 'b', 'b1', 'c', 'cu', 'cus'];
    expect(searchKeysOf(small)).toEqual([...beginnings, '~ace', '~acm', '~acme', '~ame', '~cme']);
  });

  it('are part of its record', () => {
    expect(withSearchKeys(small)).toEqual({ ...small, search: searchKeysOf(small) });
  });

  it('are short, each once, and have none for mistakes in short words', () => {
    expect(beginningKey('internationalisation')).toBe('internatio');
    expect(beginningKey('acme')).toBe('acme');
    expect(nearKeys('abc')).toEqual([]);
    expect(nearKeys('abcd')).toEqual(['~abcd', '~bcd', '~acd', '~abd', '~abc']);
    expect(nearKeys('aabb')).toEqual(['~aabb', '~abb', '~aab']);
    expect(nearKeys('internationalisation')).toEqual(nearKeys('internatio'));
  });

  it.each(['m', 'mul', 'muller', 'logistik', 'ann', 'globex', 'cus', 'abc1', 'xyz789', '7', 'fleet'])(
    'hold the one that "%s" is looked up by',
    (word) => expect(searchKeysOf(workspace)).toContain(beginningKey(word)),
  );

  it.each(['globx', 'globbex', 'glovex', 'golbex', 'logistk', 'lgoistik', 'mullre', 'fleat'])(
    'share one with "%s", which has one mistake',
    (word) => {
      expect(shares(searchKeysOf(workspace), nearKeys(word))).toBe(true);
      expect(isNear([word], workspace)).toBe(true);
      expect(beginsLike([word], workspace)).toBe(false);
    },
  );

  it.each(['glox', 'glbx', 'xyz788', 'lea', 'ano', 'logisitck'])('do not make "%s" near', (word) =>
    expect(isNear([word], workspace)).toBe(false),
  );
});

describe('a word with a mistake', () => {
  const named = (workspaceName: string) => ({ _id: '', workspaceName, provider: {} });

  it.each([
    ['one letter too many', ['xabcde', 'abxcde', 'abcdex']],
    ['one letter too few', ['bcde', 'acde', 'abce']],
    ['one letter wrong', ['xbcde', 'abxde', 'abcdx']],
    ['two neighbours transposed', ['bacde', 'acbde', 'abced']],
  ])('is near with %s, wherever it is', (_mistake, words) => {
    expect(words.filter((word) => !isNear([word], named('abcde')))).toEqual([]);
  });

  it.each([
    ['two letters too many', ['xabcdex', 'xyabcde', 'abcdefg']],
    ['two letters too few', ['bcd', 'cdef']],
    ['two letters wrong', ['xbcdx', 'abxye', 'xycde']],
    ['one letter too many and one wrong', ['xabcdy', 'xabcye']],
    ['one letter too few and one wrong', ['bcdx', 'xcde']],
    ['two pairs transposed', ['badce']],
    ['a transposed pair and a wrong letter', ['bacdx', 'acbdx']],
    ['two neighbours of which one is another letter', ['bxcde', 'axbde', 'xacde']],
    ['two letters transposed over a third one', ['cbade']],
  ])('is not near with %s', (_mistakes, words) => {
    expect(words.filter((word) => isNear([word], named('abcde')))).toEqual([]);
  });

  it('is near to a remembered word beyond the last word that is searched', () => {
    const words = Array.from({ length: 20 }, (_, at) => `${'abcdefghijklmnopqrst'[at] ?? ''}`.repeat(8));
    expect(isNear(['tttttttt'], named(words.join(' ')))).toBe(true);
  });

  it('must have four letters', () => {
    expect(isNear(['abcx'], named('abcd'))).toBe(true);
    expect(isNear(['abx'], named('abcd'))).toBe(false);
    expect(isNear(['abx'], named('abc'))).toBe(false);
  });
});

describe('a search', () => {
  it('wants each of its words, in any order', () => {
    expect(beginsLike(['log', 'mul'], workspace)).toBe(true);
    expect(beginsLike(['log', 'other'], workspace)).toBe(false);
    expect(isNear(['logistik', 'globx'], workspace)).toBe(true);
    expect(isNear(['logistik', 'other'], workspace)).toBe(false);
    expect(isNear(['log', 'globx'], workspace)).toBe(true);
    expect(beginsLike(['stik'], workspace)).toBe(false);
    expect(isNear(['istik'], workspace)).toBe(false);
  });

  it('has no mistakes in ids of the provider and short words, and finds their beginnings', () => {
    expect(isNear(['xyz789'], workspace)).toBe(true);
    expect(isNear(['xyz7'], workspace)).toBe(true);
    expect(isNear(['xyz798'], workspace)).toBe(false);
    expect(isNear(['an'], workspace)).toBe(true);
  });

  it('compares long words in full, though their keys are short', () => {
    const long = { ...workspace, workspaceName: 'Internationalisation' };
    expect(searchKeysOf(long)).toContain(beginningKey('internationalism'));
    expect(beginsLike(['internationalism'], long)).toBe(false);
    expect(beginsLike(['internationalis'], long)).toBe(true);
  });
});
