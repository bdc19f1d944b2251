/**
 * Random sessions of the studio: clicks on the controls that templates define, refusals that are shown and cleared,
 * saves, removals, undo. After each save, the query that is read back equals the form, and no byte outside the members
 * concerned differs; at the end of a session the project compiles. `STUDIO_SESSIONS=1000` plays the long form,
 * `STUDIO_FIRST=251` begins at another seed.
 */
import type { QueryStructure } from '@platform/builder';
import { playedText, proofSize } from '@platform/testing';
import {
  controlsOf,
  emptyForm,
  formOf,
  inputOf,
  patchOf,
  type Control,
  type Field,
  type Form,
} from '../../../libs/query-studio/src/form';
import { configJsonSchema } from '../../../services/query-builder/src/domain/config-json-schema';
import { createRandom, type Random } from '../../../services/query-builder/src/domain/sample/random';
import { ts } from '../../../services/query-builder/src/domain/source/parse';
import { complaintsAbout } from '../../../services/query-builder/src/testing/compile-project';
import {
  dataOf,
  openScratchProject,
  type ScratchProject,
} from '../../../services/query-builder/src/testing/scratch-project';
import { builderOver } from '../../../services/query-builder/src/workflows/create-query-builder';
import { listResources } from '../../../services/query-builder/src/workflows/list-project';
import { reviewEdit, type Edit } from '../../../services/query-builder/src/workflows/review-edit';
import { createLastSave, undoSave, withLastSave } from '../../../services/query-builder/src/workflows/undo-save';

const sizes = { lean: 12, full: 1_000 };
const sessions = Number(process.env['STUDIO_SESSIONS'] ?? proofSize(sizes));
/** A long proof is played in parts, each beginning at its own seed. */
const first = Number(process.env['STUDIO_FIRST'] ?? 1);
const clicksPerSession = 10;
const pageRef = '/shop/orders';
const hostile = [
  "it's",
  '<b>',
  '`${x}`',
  '*/',
  '\\',
  '"',
  '  ',
  '2026-02-30',
  '-1',
  '1e999',
  '😀',
  'constructor',
  '2026-03-29',
];
const names = ['revenue', 'weekly', 'best', 'count', 'constructor', 'a b', 'openOrders', 'x'.repeat(65)];

jest.setTimeout(15 * 60_000 + sessions * 3_000);

describe('a random session of the studio', () => {
  it('writes what its form says, and nothing else', async () => {
    const counts = { saved: 0, refused: 0, undone: 0, removed: 0 };
    for (let seed = first; seed < first + sessions; seed += 1) {
      const scratch = await openScratchProject();
      try {
        await play(scratch, seed, counts);
        expect({ seed, complaints: complaintsAbout(scratch.folder) }).toEqual({ seed, complaints: [] });
      } finally {
        scratch.remove();
      }
    }
    const played = playedText(sessions, sizes, `sessions of the studio from seed ${first}`);
    process.stdout.write(`${played}: ${JSON.stringify(counts)}, 0 bytes outside the members changed\n`);
    // A generator whose input is refused every time would prove nothing.
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });
});

async function play(scratch: ScratchProject, seed: number, counts: Record<string, number>): Promise<void> {
  const roll = createRandom(seed);
  const { next, pick } = roll;
  const last = createLastSave();
  const builder = withLastSave(builderOver(scratch.ports), last, () => new Date(0));
  const resources = dataOf(await listResources(scratch.project)).resources.flatMap((each) =>
    'fields' in each ? [{ name: each.name, fields: each.fields as readonly Field[] }] : [],
  );
  const schemas = scratch.templates
    .list()
    .map(({ id, params }) => ({ id, controls: controlsOf(configJsonSchema(params)) }));
  for (let round = 0; round < 4; round += 1) {
    const standing = await queriesOf(scratch);
    const open = next() < 0.5 ? pick(standing) : undefined;
    let form = open ? formOf(open as never) : { ...emptyForm, resource: 'orders' };
    for (let click = 0; click < clicksPerSession; click += 1)
      form = clickOn(form, open !== undefined, resources, schemas, roll);
    const edit: Edit = open
      ? { kind: 'configure', query: `${pageRef}@${form.name}`, patch: patchOf(form) as never }
      : { kind: 'add', pageRef, input: inputOf(form) as never };
    const before = scratch.files();
    const review = await reviewEdit(scratch.ports, edit);
    expect(scratch.files()).toEqual(before);
    const saved =
      edit.kind === 'add'
        ? await builder.addQuery(pageRef, edit.input)
        : await builder.configureQuery(`${pageRef}@${form.name}`, patchOf(form) as never);
    expect({ seed, ok: saved.ok }).toEqual({ seed, ok: review.ok });
    const after = scratch.files();
    if (!saved.ok) {
      counts['refused']! += 1;
      expect(after).toEqual(before);
      continue;
    }
    counts['saved']! += 1;
    if (review.ok) for (const { path, text } of review.data.files) expect(after[path]).toBe(text);
    const { notices = [] } = saved.data;
    await readsBackAs(scratch, form, new Set(notices.map(({ pointer }) => pointer)));
    const fresh = (await queriesOf(scratch)).find(({ name }) => name === form.name);
    const members = [form.name, open?.modelMethod, fresh?.modelMethod];
    for (const path of Object.keys(after))
      expect(besides(after[path]!, members)).toEqual(besides(before[path]!, members));
    if (Object.keys(after).some((path) => after[path] !== before[path]) && next() < 0.4) {
      dataOf(await undoSave(scratch.ports, last));
      counts['undone']! += 1;
      expect(scratch.files()).toEqual(before);
    } else if (next() < 0.2) {
      dataOf(await builder.removeQuery(`${pageRef}@${form.name}`));
      counts['removed']! += 1;
    }
  }
}

const queriesOf = async ({ builder }: ScratchProject): Promise<readonly QueryStructure[]> =>
  dataOf(await builder.getPageStructure(pageRef)).queries.filter(({ opaque }) => !opaque);

/** `without`: pointers of parts that the builder reported as having no effect. */
async function readsBackAs(scratch: ScratchProject, form: Form, without: ReadonlySet<string>): Promise<void> {
  const read = (await queriesOf(scratch)).find(({ name }) => name === form.name);
  const template = scratch.templates.get(form.template)!;
  const input = inputOf(form);
  expect(read).toMatchObject({
    resource: form.resource,
    template: form.template,
    params: template.complete(input.params ?? {}),
    ...(form.endpoint !== '' && { endpoint: form.endpoint }),
    // A series is the calculation's own answer, so the source does not name it.
    ...(!['', 'series'].includes(form.response) && !without.has('/response') && { response: form.response }),
  });
}

/** The text of a file without imports and without the members with these names, piece by piece. */
function besides(text: string, members: readonly (string | undefined)[]): string[] {
  const file = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true);
  return file.statements
    .filter((statement) => !ts.isImportDeclaration(statement))
    .flatMap((statement) => {
      if (!ts.isClassDeclaration(statement)) return [statement.getText(file)];
      const others = statement.members.filter((member) => !members.includes(member.name?.getText(file)));
      return [text.slice(statement.getStart(file), statement.members.pos), ...others.map((each) => each.getText(file))];
    });
}

interface Schema {
  readonly id: string;
  readonly controls: readonly Control[];
}
type Resources = readonly { readonly name: string; readonly fields: readonly Field[] }[];

/** One click or one typed text, on any control of the form. Most values are offered by the control; some are not. */
function clickOn(form: Form, named: boolean, resources: Resources, schemas: readonly Schema[], roll: Random): Form {
  const { next, pick } = roll;
  const wild = next() < 0.02;
  switch (pick(['name', 'template', 'param', 'param', 'param', 'endpoint', 'response', 'compare'] as const)) {
    case 'name':
      return named ? form : { ...form, name: wild ? pick(hostile) : pick(names) };
    case 'template':
      return next() < 0.8 ? form : { ...form, template: pick(schemas).id, params: {} };
    case 'endpoint':
      return { ...form, endpoint: wild ? pick(hostile) : pick(['', '', '/stats/one', '/stats/two']) };
    case 'response':
      return { ...form, response: pick(['', '', 'card', 'value', 'items', 'series']) };
    case 'compare':
      return { ...form, compare: next() < 0.1 };
    case 'param': {
      const { controls } = schemas.find(({ id }) => id === form.template)!;
      const control = pick(controls);
      const { fields } = resources.find(({ name }) => name === form.resource)!;
      const { [control.name]: _before, ...others } = form.params;
      const value = wild ? pick(hostile) : paramFor(control, fields, roll);
      return { ...form, params: value === undefined ? others : { ...others, [control.name]: value } };
    }
  }
}

function paramFor(control: Control, fields: readonly Field[], roll: Random): unknown {
  const { next, pick } = roll;
  switch (control.control) {
    case 'option':
      return pick([...control.options, undefined]);
    case 'field':
      return pick(fields.filter(({ kind }) => control.kinds?.includes(kind) ?? true)).name;
    case 'integer':
      return pick([1, 10, 1_000, undefined]);
    case 'timezone':
      return pick(['Europe/Paris', 'UTC', undefined]);
    default: {
      const usable = fields.filter(({ ops }) => ops.length > 0);
      return Array.from({ length: Math.floor(next() * 3) }, () => {
        const field = pick(usable);
        const bound = { $param: { name: pick(['from', 'to', 'state']), in: 'query' } };
        return { field: field.name, op: pick(field.ops), value: next() < 0.3 ? bound : literalFor(field, roll) };
      });
    }
  }
}

function literalFor({ kind, options }: Field, { next, pick }: Random): unknown {
  if (options) return pick(options);
  switch (kind) {
    case 'number':
      return pick([0, -1.5, 1e9]);
    case 'boolean':
      return next() < 0.5;
    case 'date':
      return pick(['2026-03-29', '2026-01-01T00:00:00Z']);
    default:
      return pick(hostile);
  }
}
