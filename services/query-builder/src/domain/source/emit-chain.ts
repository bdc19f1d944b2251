/** Steps → source of a model method. The twin is `read-chain.ts`. */
import type { ChainStep, StepArgument } from '@platform/builder';
import { InvariantError } from '@platform/kernel';
import { claimName } from '../names';
import { emitLiteral } from './literal';
import type { TextStyle } from './text-style';

export type BoundArgument = Extract<StepArgument, { kind: 'bound' }>;

/** The values of the request that a chain takes, in the order of the model method's parameters. */
export function boundArguments(steps: readonly ChainStep[]): BoundArgument[] {
  return steps.flatMap(({ args }) => args.filter((argument) => argument.kind === 'bound'));
}

const typeOfKind = {
  text: 'string',
  select: 'string',
  number: 'number',
  date: 'Date',
  boolean: 'boolean',
} as const;

/**
 * The model method without indentation of its first line. `asDate` is how the file spells that helper. Each bound value
 * becomes one parameter, named from the template (`minCreatedAt`).
 */
export function emitModelMethod(name: string, steps: readonly ChainStep[], style: TextStyle, asDate: string): string {
  const taken = new Set([asDate, 'this']);
  const bound = boundArguments(steps).map((argument) => ({
    local: claimName(argument.suggestedName, taken),
    type: typeOfKind[argument.valueKind],
  }));
  const next = bound[Symbol.iterator]();
  const emitArgument = (argument: StepArgument): string => {
    switch (argument.kind) {
      case 'literal':
        return emitLiteral(argument.value, style.quote);
      case 'date':
        return `${asDate}(${emitLiteral(argument.text, style.quote)})`;
      case 'object':
        return `{ ${Object.entries(argument.entries)
          .map(([key, value]) => `${word(key)}: ${emitLiteral(value, style.quote)}`)
          .join(', ')} }`;
      case 'bound':
        return next.next().value!.local;
    }
  };
  const { memberIndent, unit, eol } = style;
  const link = steps.length > 1 ? `${eol}${memberIndent}${unit}${unit}` : '';
  const chain = steps
    .map(({ method, args }) => `${link}.${word(method)}(${args.map(emitArgument).join(', ')})`)
    .join('');
  const parameters = bound.map(({ local, type }) => `${local}: ${type}`).join(', ');
  return [`${name}(${parameters}) {`, `${memberIndent}${unit}return this.rows()${chain};`, `${memberIndent}}`].join(
    eol,
  );
}

/** Templates come from other modules too; what they call a step goes into the source as it is. */
function word(text: string): string {
  if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(text))
    throw new InvariantError('a template emits a step or an option that is no plain word');
  return text;
}
