/**
 * The reference pages of configuration, commands, metrics and alerts, generated from schemas, command lines,
 * declarations and rules.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { isSecret } from '@platform/service-host';
import { parse } from 'yaml';
import type { z } from 'zod';
import { configSchema as billingWebhook } from '../../services/billing-webhook/src/config';
import { configSchema as lifecycleDelivery } from '../../services/lifecycle-delivery/src/config';
import { configSchema as operator } from '../../services/operator/src/config';
import { configSchema as provisioning } from '../../services/provisioning/src/config';
import { configSchema as queryBuilder } from '../../services/query-builder/src/config';
import offlineCommands from '../../infra/ops/ops.command.cjs';
import { table } from './markdown-table';

const root = join(__dirname, '../..');
const load = createRequire(__filename);

/** What each service reads of its environment. */
export const configurationSchemas: Readonly<Record<string, z.ZodObject>> = {
  operator,
  'billing-webhook': billingWebhook,
  provisioning,
  'lifecycle-delivery': lifecycleDelivery,
  'query-builder': queryBuilder,
};

interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly defaultValue?: unknown;
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def as unknown as Definition;

function meaningOf(schema: z.ZodType): string | undefined {
  const { innerType, in: input } = definitionOf(schema);
  const inner = innerType ?? input;
  return schema.description ?? (inner && meaningOf(inner));
}

/** The behaviour when a variable is not set. */
function absenceOf(schema: z.ZodType): string {
  const { type, defaultValue, innerType, in: input } = definitionOf(schema);
  if (type === 'default' || type === 'prefault') return `\`${JSON.stringify(defaultValue)}\``;
  if (type === 'optional') return 'may be absent';
  const inner = innerType ?? input;
  return inner ? absenceOf(inner) : '**required**';
}

function rowsOf(schema: z.ZodObject): (readonly string[])[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, member]) => [
    `\`${name}\`${isSecret(member) ? ' (secret)' : ''}`,
    meaningOf(member) ?? '',
    absenceOf(member),
  ]);
}

/** A table for each service. */
export const configurationTables: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(configurationSchemas).map(([name, schema]) => [
    name,
    table(['Variable', 'Meaning', 'Not set'], rowsOf(schema)),
  ]),
);

/** In the order of their names: Git lists new files before the others. */
const tracked = (...patterns: readonly string[]): readonly string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean)
    .sort();

/** Every decision; its title says what was decided. */
export const decisionTable = table(
  ['Decision', 'Says'],
  tracked('docs/decisions/0*.md').map((file) => {
    const [, title = ''] = /^# (?:\d+[.:] )?(.+)$/m.exec(readFileSync(join(root, file), 'utf8')) ?? [];
    return [`[${basename(file).slice(0, 4)}](${basename(file)})`, title];
  }),
);

interface Option {
  readonly type: string;
  readonly value?: string;
  readonly text: string;
}
interface CommandLine {
  readonly usage: string;
  readonly summary: string;
  readonly options?: Readonly<Record<string, Option>>;
  readonly commands?: Readonly<Record<string, { readonly words?: readonly string[]; readonly text: string }>>;
}

/** The services' own tables are parts of one program, `npm run ops`. */
const commandLines = tracked('*.command.cjs')
  .filter((file) => !(file.startsWith('services/') && basename(file) === 'ops.command.cjs'))
  .map((file) => load(join(root, file)) as CommandLine)
  .sort((a, b) => a.usage.localeCompare(b.usage));

const optionsOf = ({ options = {} }: CommandLine): string =>
  Object.entries(options)
    .map(([name, { type, value, text }]) => {
      const taken = type === 'boolean' ? '' : ` ${value ?? (type === 'number' ? 'N' : 'TEXT')}`;
      return `- \`--${name}${taken}\`: ${text}`;
    })
    .join('\n');

const subcommandsOf = ({ commands }: CommandLine): string =>
  commands
    ? table(
        ['Command', 'Does'],
        Object.entries(commands).map(([name, { words = [], text }]) => [`\`${[name, ...words].join(' ')}\``, text]),
      )
    : '';

/** A section for each program. */
export const commandSections = commandLines
  .map((line) =>
    [`## \`${line.usage.replace(/ --$/, '')}\``, line.summary, subcommandsOf(line), optionsOf(line)]
      .filter((part) => part !== '')
      .join('\n\n'),
  )
  .join('\n\n');

const text = '\'([^\']+)\'|"([^"]+)"|`([^`]+)`';
const declaration = new RegExp(
  `\\bmetrics\\??\\.(counter|gauge|observedGauge|histogram)\\(\\s*\\{\\s*name:\\s*(?:${text}),\\s*help:\\s*(?:${text})`,
  'g',
);
const declares = /\bmetrics\??\.(?:counter|gauge|observedGauge|histogram)\(/g;

const kinds: Readonly<Record<string, string>> = { observedGauge: 'gauge' };

/** One declaration may be used for several metrics: the part that differs is named. */
const filledIn = (written: string): string => written.replace(/\$\{(\w+)[^}]*\}/g, '<$1>');

/** Throws for a declaration in another form, because it would be missing here. */
function metricRows(): (readonly string[])[] {
  const files = tracked('services/*.ts', 'libs/*.ts').filter((file) => !/\.spec\.ts$|\/testing\//.test(file));
  return files.flatMap((file) => {
    const source = readFileSync(join(root, file), 'utf8');
    const found = [...source.matchAll(declaration)];
    if (found.length !== [...source.matchAll(declares)].length) throw new Error(`a metric of ${file} cannot be read`);
    const [, place = ''] = /^(?:services|libs)\/([^/]+)/.exec(file) ?? [];
    return found.map(([, kind = '', ...texts]) => {
      const [name = '', help = ''] = texts.filter((each) => each !== undefined).map(filledIn);
      return [`\`${name}\``, kinds[kind] ?? kind, place, help];
    });
  });
}

export const metricTable = table(
  ['Metric', 'Kind', 'Of', 'Says'],
  metricRows().sort(([a = ''], [b = '']) => a.localeCompare(b)),
);

interface AlertRule {
  readonly alert: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

// The longest name first: one command begins as another does.
const opsCommands = Object.keys(offlineCommands.commands).sort((a, b) => b.length - a.length);
const opsLine = new RegExp(`npm run ops -- (${opsCommands.join('|')})( --\\w+ \\w+| <\\w+>)?`, 'g');

/** A sentence of a rule without the fields that Prometheus fills in, as a cell of a page. */
const asRead = (sentence: string): string =>
  sentence
    .replaceAll('{{ $externalLabels.ops_command }}', 'npm run ops --')
    .replaceAll(/\{\{ \$value[^}]*\}\}/g, 'N')
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, '_$1_')
    .replaceAll(opsLine, '`$&`');

const alertRules = (
  parse(readFileSync(join(root, 'infra/monitoring/alerts.yaml'), 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
  }
).groups.flatMap(({ rules }) => rules);

export const alertTable = table(
  ['Alert', 'Makes', 'When', 'First'],
  alertRules.map(({ alert, labels, annotations }) => [
    `\`${alert}\``,
    labels.severity === 'page' ? 'a call' : 'a ticket',
    asRead(annotations.summary),
    asRead(annotations.action),
  ]),
);
