// The command line of `npm run builder`.
const parts = ['name', 'resource', 'template', 'params', 'endpoint', 'response', 'compare', 'no-compare'];

module.exports = /** @type {const} */ ({
  name: 'builder',
  usage: 'npm run builder --',
  summary:
    'Reads and edits the queries of a page project, with or without the service running. Every change is shown as a diff before it is written; a terminal is asked first. Rows go to the database named by MONGODB_URL and MONGODB_DATABASE; without them, to that of the local platform.',
  commands: {
    list: { words: ['[page]'], text: 'pages and their queries' },
    show: { words: ['<page@query>'], text: 'one query as its source says it' },
    templates: { text: 'what queries are made from' },
    resources: { text: 'the resources of the project and their fields' },
    add: { words: ['<page>'], options: parts, text: 'write a query; it needs --name, --resource and --template' },
    configure: { words: ['<page@query>'], options: parts, text: 'change a query; what is not named stays' },
    remove: { words: ['<page@query>'], text: 'take a query out' },
    'new-resource': {
      words: ['<name>'],
      options: ['title', 'field', 'tenant-scoped'],
      text: 'a resource and its model',
    },
    introspect: {
      words: ['<collection>'],
      options: ['resource', 'title', 'tenant-field', 'view', 'documents'],
      text: 'propose a resource over a collection that exists, from its newest documents',
    },
    'new-page': { words: ['<page>'], options: ['title', 'permission'], text: 'an empty page' },
    sample: { options: ['rows'], text: 'rows for the sample project, into its database' },
    import: {
      words: ['<resource>', '<file.csv|file.jsonl>'],
      options: ['tenant'],
      text: 'rows of a file; what is refused is reported with its line',
    },
    indexes: { text: 'create the indexes that the queries of the project want' },
  },
  options: {
    name: { type: 'string', value: 'N', text: 'the name of the query' },
    resource: { type: 'string', value: 'R', text: 'what it reads' },
    template: { type: 'string', value: 'T', text: 'what it is made from' },
    params: { type: 'string', value: 'JSON', text: 'the parameters of the template' },
    endpoint: { type: 'string', value: '/PATH', text: 'the route below the page' },
    response: { type: 'string', value: 'FORM', text: 'series, card, value or items' },
    compare: { type: 'boolean', text: 'answer the period before as well' },
    'no-compare': { type: 'boolean', text: 'do not' },
    title: { type: 'string', value: 'T', text: 'what people read' },
    permission: { type: 'string', value: 'P', text: 'who may open the page' },
    field: {
      type: 'string',
      value: 'NAME:TYPE',
      multiple: true,
      text: 'a field, for example total:price, status:select(open,done) or tags:string[]',
    },
    'tenant-scoped': { type: 'boolean', text: 'each row belongs to a workspace' },
    'tenant-field': {
      type: 'string',
      value: 'PATH',
      text: 'where a document names its workspace, for example account.id',
    },
    view: { type: 'boolean', text: 'the collection is a view' },
    documents: { type: 'number', min: 1, max: 10_000, default: 1_000, text: 'how many documents to look at' },
    rows: { type: 'number', min: 1_000, max: 10_000_000, default: 100_000, text: 'how many rows' },
    tenant: { type: 'string', value: 'ID', text: 'the workspace that the rows belong to' },
    project: {
      type: 'string',
      value: 'DIR',
      text: 'the page project; without it PAGE_PROJECT_DIR, and without that the pages of the local platform',
    },
    yes: { type: 'boolean', text: 'do not ask' },
    'dry-run': { type: 'boolean', text: 'only show what would be written' },
  },
  examples: [
    'npm run builder -- list',
    'npm run builder -- add /shop/orders --name gifts --resource orders --template count',
    'npm run builder -- introspect crm.invoices --tenant-field account.org',
    'npm run builder -- sample --rows 20000 --yes',
  ],
});
