/** Messages for people say what happened, what it means and what to do (docs/style.md), in every table of codes. */
import { webhookCodes } from '@platform/contracts-billing-webhook';
import { operatorCodes } from '@platform/contracts-operator';
import { baseCodes } from '@platform/http-server';
import { pageCodes } from '../../services/query-builder/src/host/serving/codes';
import { builderCodes } from '../../services/query-builder/src/http/builder-codes';
import { findingsIn } from './prose';

interface Entry {
  readonly status: number;
  readonly title: string;
  readonly message: string;
  readonly nextStep: string;
}

const tables: Readonly<Record<string, Readonly<Record<string, Entry>>>> = {
  base: baseCodes,
  operator: operatorCodes,
  webhook: webhookCodes,
  builder: builderCodes,
  pages: pageCodes,
};

/** Whole sentences: each begins with a capital or a code word, and the text ends with a full stop. */
const sentences = /^(["“`A-Z][^.]*(\.(?=[^ ])[^.]*)*\.( |$))+$/u;

const entries = Object.entries(tables).flatMap(([table, codes]) =>
  Object.entries(codes).map(([code, entry]) => ({ name: `${table} ${code}`, code, ...entry })),
);

/** Errors of a message; shown here so that the checks below can fail. */
function faultsOf({ code, title, message, nextStep }: (typeof entries)[number]): string[] {
  const words = (text: string): string => text.toLowerCase().replaceAll(/[^a-z ]/g, '');
  return [
    ...(sentences.test(message) ? [] : ['what happened is no sentence']),
    ...(sentences.test(nextStep) ? [] : ['what to do is no sentence']),
    ...(message.length > 200 || nextStep.length > 200 ? ['longer than a person reads'] : []),
    ...(words(message) === words(title) ? ['the message repeats the title'] : []),
    ...(`${title} ${message} ${nextStep}`.includes(code) && code.includes('_') ? ['the code is in its own text'] : []),
    ...(/[.!]$/.test(title) ? ['a title ends with a full stop'] : []),
    ...findingsIn({ file: code, line: 1, text: `${title}. ${message} ${nextStep}` }).map(({ found }) => found),
  ];
}

describe('a message of a refusal', () => {
  it.each(entries.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => {
    expect(faultsOf(entry)).toEqual([]);
  });

  it('is refused when it is a fragment, repeats its title, or names no next step', () => {
    const bad = { name: 'x', code: 'already_done', status: 409 };
    expect(faultsOf({ ...bad, title: 'Done.', message: 'Done', nextStep: '' })).toEqual([
      'what happened is no sentence',
      'what to do is no sentence',
      'the message repeats the title',
      'a title ends with a full stop',
    ]);
    expect(faultsOf({ ...bad, title: 'Done', message: 'It is already_done.', nextStep: 'Tell nobody.' })).toEqual([
      'the code is in its own text',
      'nobody',
    ]);
  });

  it('says one thing: no two codes of a service share a text', () => {
    for (const codes of Object.values(tables)) {
      const texts = Object.values(codes).map(({ message }) => message);
      expect(new Set(texts).size).toBe(texts.length);
    }
  });
});
