/** Packages of templates as people write them, in plain JavaScript: files by their path below `node_modules`. */

const program = `
const { queryTemplates } = require('@platform/builder');
const count = () => queryTemplates.get('count');
const own = ({ field, depth, mood, ...others }) => others;
const calculation = { kind: 'imported', module: 'late-templates/calculations', name: 'spread' };
const template = {
  id: 'spread',
  resourceType: 'database-table',
  title: 'Spread',
  description: 'Counts the different values of a field.',
  output: 'scalar',
  params: {
    field: { type: 'field', title: 'Different values of', required: true, kinds: ['text', 'select'] },
    depth: { type: 'integer', title: 'Depth', minimum: 1, maximum: 99, default: 1 },
    mood: { type: 'colour', title: 'Mood' },
    where: { type: 'filters', title: 'Only rows where' },
  },
  validate: (params, resource) => [
    ...(typeof params.field === 'string' && Object.hasOwn(resource.fields, params.field)
      ? []
      : [{ pointer: '/field', message: 'must be a field of the resource' }]),
    ...(params.depth === undefined || (Number.isInteger(params.depth) && params.depth >= 1 && params.depth <= 99)
      ? []
      : [{ pointer: '/depth', message: 'must be a whole number from 1 to 99' }]),
    ...count().validate(own(params), resource),
  ],
  complete: (params) => ({
    field: params.field,
    depth: params.depth ?? 1,
    ...(params.mood !== undefined && { mood: params.mood }),
    ...count().complete(own(params)),
  }),
  emit(params, resource) {
    const { field, depth = 1, mood } = params;
    const steps = count().emit(own(params), resource);
    const entries = { field, depth, ...(mood !== undefined && { mood }) };
    return [...steps.slice(0, -1), { method: 'calculate', args: [calculation, { kind: 'object', entries }, ...steps.at(-1).args] }];
  },
  read(steps) {
    const [called, options, ...zone] = steps.at(-1)?.args ?? [];
    if (steps.at(-1)?.method !== 'calculate' || called?.kind !== 'imported' || options?.kind !== 'object') return undefined;
    if (called.module !== calculation.module || called.name !== calculation.name) return undefined;
    const { field, depth, mood, ...more } = options.entries;
    const shared = count().read([...steps.slice(0, -1), { method: 'count', args: zone }]);
    if (field === undefined || depth === undefined || Object.keys(more).length > 0 || !shared) return undefined;
    return { field, depth, ...(mood !== undefined && { mood }), ...shared };
  },
  measureOf: () => 'count',
};
const resource = { name: 'orders', tenantScoped: false, fields: { status: { type: 'string' }, customer: { type: 'relation' } } };
module.exports = {
  templates: [template],
  samples: {
    spread: {
      resource,
      samples: [
        { field: 'customer' },
        { field: 'status', depth: 3, mood: 'calm', where: [{ field: 'status', op: 'eq', value: 'paid' }] },
      ],
    },
  },
};
`;

const calculations = `
module.exports.spread = {
  id: 'spread',
  measure: 'count',
  compile: ({ field }, fields) => [
    { $group: { _id: '$' + fields.path(field) } },
    { $group: { _id: null, y: { $sum: 1 } } },
  ],
};
`;

const wrong = `
module.exports = {
  templates: [{ id: 'wrong', resourceType: 'database-table', title: 'Wrong', description: '', output: 'scalar', params: 'none',
    validate: () => [], complete: (params) => params, emit: () => [{ method: 'count', args: [] }], read: () => ({}), measureOf: () => 'count' }],
  samples: { wrong: { resource: { name: 'orders', tenantScoped: false, fields: {} }, samples: [{}] } },
};
`;

export const lateTemplates: Readonly<Record<string, string>> = {
  'late-templates/index.js': program,
  'late-templates/calculations.js': calculations,
  'wrong-templates/index.js': wrong,
};
