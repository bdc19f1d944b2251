/**
 * Filters: a field, an operator that the field's type allows, and a value that is fixed or supplied by each request.
 */
import { useState } from 'preact/hooks';
import { Issues } from './labelled';
import { bindingOf, issuesAt, valueOf, type Field, type Filter, type Issue } from './form';

const opWords: Readonly<Record<string, string>> = {
  eq: 'is',
  ne: 'is not',
  gt: 'above',
  ge: 'from',
  lt: 'below',
  le: 'up to',
};

interface FiltersProps {
  readonly title: string;
  readonly pointer: string;
  readonly filters: readonly Filter[];
  readonly fields: readonly Field[];
  readonly issues: readonly Issue[];
  readonly onChange: (filters: readonly Filter[]) => void;
}

export function FiltersEditor({ title, pointer, filters, fields, issues, onChange }: FiltersProps) {
  const usable = fields.filter(({ ops }) => ops.length > 0);
  const set = (at: number, filter: Filter) => onChange(filters.map((each, index) => (index === at ? filter : each)));
  const add = () => {
    const [first] = usable;
    if (first) onChange([...filters, { field: first.name, op: 'eq', value: presetFor(first) }]);
  };
  const rows = filters.map((_filter, at) => `/${at}`);
  return (
    <fieldset class="filters-editor">
      <legend>{title}</legend>
      {filters.map((filter, at) => (
        <FilterRow
          key={at}
          at={at}
          filter={filter}
          fields={usable}
          issues={issuesAt(issues, `${pointer}/${at}`)}
          onSet={(next) => set(at, next)}
          onRemove={() => onChange(filters.filter((_each, index) => index !== at))}
        />
      ))}
      <Issues id="filters-issues" issues={issuesAt(issues, pointer, rows)} />
      <button type="button" class="small" onClick={add} disabled={usable.length === 0}>
        + Filter
      </button>
    </fieldset>
  );
}

function presetFor({ kind, options }: Field): Filter['value'] {
  return kind === 'number' ? 0 : kind === 'boolean' ? true : (options?.[0] ?? '');
}

interface RowProps {
  readonly at: number;
  readonly filter: Filter;
  readonly fields: readonly Field[];
  readonly issues: readonly Issue[];
  readonly onSet: (filter: Filter) => void;
  readonly onRemove: () => void;
}

function FilterRow({ at, filter, fields, issues, onSet, onRemove }: RowProps) {
  const field = fields.find(({ name }) => name === filter.field);
  const id = `filter-${at}`;
  const wrongIn = (part: string) => ({
    'aria-invalid': issues.some(({ pointer }) => pointer.split('/')[4] === part),
    'aria-describedby': issues.length > 0 ? `${id}-issues` : undefined,
  });
  const choose = (name: string) => {
    const next = fields.find((each) => each.name === name);
    if (!next) return;
    const op = next.ops.some((each) => each === filter.op) ? filter.op : 'eq';
    const value = bindingOf(filter.value) || next.kind === field?.kind ? filter.value : presetFor(next);
    onSet({ field: name, op, value });
  };
  return (
    <div class="filter" role="group" aria-label={`Filter ${at + 1}`}>
      <select
        aria-label="Field"
        {...wrongIn('field')}
        value={filter.field}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {!field && <option value={filter.field}>{filter.field}</option>}
        {fields.map(({ name, type }) => (
          <option key={name} value={name}>
            {name} ({type})
          </option>
        ))}
      </select>
      <select
        aria-label="Operator"
        {...wrongIn('op')}
        value={filter.op}
        onChange={(event) => onSet({ ...filter, op: event.currentTarget.value })}
      >
        {(field?.ops ?? [filter.op]).map((op) => (
          <option key={op} value={op}>
            {opWords[op] ?? op}
          </option>
        ))}
      </select>
      <Operand filter={filter} field={field} wrong={wrongIn('value')} onSet={(value) => onSet({ ...filter, value })} />
      <button type="button" class="small remove" aria-label={`Remove filter ${at + 1}`} onClick={onRemove}>
        ×
      </button>
      <Issues id={`${id}-issues`} issues={issues} />
    </div>
  );
}

interface OperandProps {
  readonly filter: Filter;
  readonly field: Field | undefined;
  readonly wrong: object;
  readonly onSet: (value: unknown) => void;
}

/** Fixed in the query, or read from the query string or the path of each request. */
function Operand({ filter, field, wrong, onSet }: OperandProps) {
  const binding = bindingOf(filter.value);
  const source = binding ? binding.in : 'fixed';
  const name = binding?.name ?? (field ? nameFor(field.name, filter.op) : 'value');
  const change = (to: string) => onSet(to === 'fixed' ? (field ? presetFor(field) : '') : { $param: { name, in: to } });
  return (
    <>
      <select aria-label="Value from" value={source} onChange={(event) => change(event.currentTarget.value)}>
        <option value="fixed">value</option>
        <option value="query">?query</option>
        <option value="param">/:path</option>
      </select>
      {binding ? (
        <input
          aria-label="Parameter name"
          {...wrong}
          value={binding.name}
          spellcheck={false}
          onInput={(event) => onSet({ $param: { name: event.currentTarget.value, in: binding.in } })}
        />
      ) : (
        <Literal value={filter.value} field={field} wrong={wrong} onSet={onSet} />
      )}
    </>
  );
}

function nameFor(field: string, op: string): string {
  return op === 'ge' || op === 'gt' ? 'from' : op === 'lt' || op === 'le' ? 'to' : field.replace(/[^A-Za-z0-9]/g, '');
}

function Literal({ value, field, wrong, onSet }: Omit<OperandProps, 'filter'> & { readonly value: unknown }) {
  const choices = field?.kind === 'boolean' ? ['true', 'false'] : field?.options;
  if (choices)
    return (
      <select
        aria-label="Value"
        {...wrong}
        value={String(value)}
        onChange={(event) => onSet(valueOf(field?.kind ?? 'text', event.currentTarget.value))}
      >
        {!choices.includes(String(value)) && <option value={String(value)}>{String(value)}</option>}
        {choices.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
    );
  return <TypedValue value={value} kind={field?.kind ?? 'text'} wrong={wrong} onSet={onSet} />;
}

interface TypedProps {
  readonly value: unknown;
  readonly kind: string;
  readonly wrong: object;
  readonly onSet: (value: unknown) => void;
}

/** What was typed stays as it is while it reads as the value: `1.` on the way to `1.5` is the number 1 already. */
function TypedValue({ value, kind, wrong, onSet }: TypedProps) {
  const [typed, setTyped] = useState(String(value));
  return (
    <input
      aria-label="Value"
      {...wrong}
      value={valueOf(kind, typed) === value ? typed : String(value)}
      placeholder={kind === 'date' ? '2026-01-31' : ''}
      inputMode={kind === 'number' ? 'decimal' : 'text'}
      onInput={({ currentTarget: { value: text } }) => {
        setTyped(text);
        onSet(valueOf(kind, text));
      }}
    />
  );
}
