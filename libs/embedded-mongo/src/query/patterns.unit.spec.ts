import { Regex } from '../bson/values';
import { compilePattern } from './patterns';

const test = (pattern: string, options: string, text: string): boolean =>
  compilePattern(new Regex(pattern, options)).test(text);

describe('regular expressions', () => {
  it.each([
    ['a$', '', 'a\n', true],
    ['a$', '', 'a\nb', false],
    ['a$', 'm', 'a\nb', true],
    ['^b', 'm', 'a\nb', true],
    ['^b', '', 'a\nb', false],
    ['a.b', '', 'a\nb', false],
    ['a.b', 's', 'a\nb', true],
    ['a.b', '', 'a\u2028b', true],
    ['^\\s$', '', '\u00a0', false],
    ['a b', 'x', 'ab', true],
    ['ÄB', 'i', 'äb', true],
    ['^[[:alpha:]]+$', '', 'abc', true],
    ['\\Qa.c\\E', '', 'abc', false],
    ['\\Qa.c\\E', '', 'a.c', true],
    ['a{2}', '', 'aa', true],
    ['a{x}', '', 'a{x}', true],
    ['(?i)abc', '', 'ABC', true],
    ['^(?<n>a)\\1$', '', 'aa', true],
    ['^a++b$', '', 'aab', true],
    ['^a++a$', '', 'aaa', false],
    ['^(ab)*+(ab)$', '', 'abab', false],
    ['^[ab]{1,2}+c$', '', 'abc', true],
    ['^(?>a+)$', '', 'aaa', true],
    ['^(?>a+)a$', '', 'aaa', false],
    ['^(?>a|ab)c$', '', 'abc', false],
    ['^(?:(?>a|ab)c)+$', '', 'acac', true],
  ])('matches /%s/%s on %j as PCRE does', (pattern, options, text, expected) => {
    expect(test(pattern, options, text)).toBe(expected);
  });

  it.each(['(?>a)(b)\\1', '(?R)', '\\p{L}', '(?(1)a|b)', '\\Ga', '(*FAIL)', '(', '[z-a]', '*a'])(
    'refuses %s instead of matching something else',
    (pattern) => {
      expect(() => compilePattern(new Regex(pattern, ''))).toThrow(expect.objectContaining({ code: 51091 }));
    },
  );
});
