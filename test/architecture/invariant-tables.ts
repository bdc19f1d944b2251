/**
 * The laws and the invariants with the builds that break them, as `docs/laws.md` and `docs/invariants.md` show them.
 */
import { invariants } from '../../libs/testing/src/history';
import { mutants } from '../sim/mutants/mutants';
import { table } from './markdown-table';

const buildsThatBreak = (name: string): string =>
  mutants
    .filter(({ breaks }) => breaks.includes(name))
    .map(({ id }) => `\`${id}\``)
    .join(', ');

export const invariantTable = table(
  ['Invariant', 'Statement', 'Further evidence', 'Builds that break it'],
  invariants.map(({ id, statement, needs }) => [
    id,
    statement,
    needs.map((name) => `\`${name}\``).join(', '),
    buildsThatBreak(id),
  ]),
);

const laws = [...new Set(mutants.flatMap(({ breaks }) => breaks))].filter((name) => name.startsWith('L')).sort();

export const lawTable = table(
  ['Law', 'Builds that break it'],
  laws.map((law) => [law, buildsThatBreak(law)]),
);
