/** Writes steps as the source of a model method; `read-chain.ts` reads it back. */
import { exportedName, packageName, type ChainStep, type StepArgument } from '@platform/builder';
import { InvariantError } from '@platform/kernel';
import { claimName } from '../names';
import { runtimeModule } from './imports';
import { emitLiteral } from './literal';
import type { TextStyle } from './text-style';

export type BoundArgument = Extract<StepArgument, { kind: 'bound' }>;

/** The request values that a chain uses, in the order of the model method's parameters. */
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

/** How a file spells an export of a module. */
export type Spelling = (module: string, name: string) => string;

/** The imports that a chain needs: `asDate` for its dates, and exports of packages. */
export function importedNames(steps: readonly ChainStep[]): { readonly module: string; readonly name: string }[] {
  const names = steps.flatMap(({ args }) =>
    args.flatMap((argument) => {
      if (argument.kind === 'date') return [{ module: runtimeModule, name: 'asDate' }];
      return argument.kind === 'imported' ? [{ module: argument.module, name: argument.name }] : [];
    }),
  );
  return [...new Map(names.map((each) => [`${each.module}#${each.name}`, each])).values()];
}

/**
 * The model method; its first line has no indentation. Each bound value becomes one parameter, named after the
 * template's parameter (`minCreatedAt`).
 */
export function emitModelMethod(name: string, steps: readonly ChainStep[], style: TextStyle, spell: Spelling): string {
  const spelled = (module: string, exported: string): string =>
    spell(checked(module, packageName), checked(exported, exportedName));
  const taken = new Set([...importedNames(steps).map((each) => spelled(each.module, each.name)), 'this']);
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
        return `${spelled(runtimeModule, 'asDate')}(${emitLiteral(argument.text, style.quote)})`;
      case 'imported':
        return spelled(argument.module, argument.name);
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

function checked(text: string, pattern: RegExp): string {
  if (!pattern.test(text)) throw new InvariantError('a template names what no package exports');
  return text;
}

/** Templates may come from other modules; the name that they give a step is emitted unchanged. */
function word(text: string): string {
  if (!/^[a-z][A-Za-z0-9]{0,63}$/.test(text))
    throw new InvariantError('a template emits a step or an option that is no plain word');
  return text;
}
