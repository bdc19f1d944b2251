// Writes src/conformance/shapes.json: the fields of the provider's objects, which are required, which may be null and
// which values they have. It reads the types of the pinned SDK, which are generated from the provider's published
// schema. Run it after changing the SDK's version: node libs/provider-twin/tools/extract-shapes.cjs
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
const ts = require('typescript');

const roots = {
  customer: 'Customer',
  product: 'Product',
  price: 'Price',
  plan: 'Plan',
  payment_method: 'PaymentMethod',
  subscription: 'Subscription',
  subscription_item: 'SubscriptionItem',
  subscription_schedule: 'SubscriptionSchedule',
  invoice: 'Invoice',
  line_item: 'InvoiceLineItem',
  invoiceitem: 'InvoiceItem',
  invoice_payment: 'InvoicePayment',
  payment_intent: 'PaymentIntent',
  setup_intent: 'SetupIntent',
  charge: 'Charge',
  refund: 'Refund',
  credit_note: 'CreditNote',
  credit_note_line_item: 'CreditNoteLineItem',
  customer_balance_transaction: 'CustomerBalanceTransaction',
  'checkout.session': 'Checkout.Session',
  item: 'LineItem',
  event: 'EventBase',
  webhook_endpoint: 'WebhookEndpoint',
};
// Optional parts that the twin sends; every other optional part with its own structure is left out.
const kept = new Set([
  'card',
  'us_bank_account',
  'lines',
  'payments',
  'refunds',
  'subscriptions',
  'sources',
  'tax_ids',
  'line_items',
  'redirect_to_url',
  'use_stripe_sdk',
  'price_details',
  'flexible',
  'proration_details',
  'amount_details',
  'tip',
  'destination_details',
  'address',
  'fraud_details',
  'automatic_tax',
  'previous_attributes',
  'confirmation_secret',
  'phone_number_collection',
  'customer_tax_ids',
  'payment_method',
  'marketing_features',
  'parent',
]);

const root = join(__dirname, '../../..');
const entry = join(__dirname, 'entry.ts');
const source = `import type Stripe from 'stripe';\n${Object.values(roots)
  .map((name, at) => `export declare const v${at}: Stripe.${name};`)
  .join('\n')}\n`;
const host = ts.createCompilerHost({});
const { getSourceFile, fileExists, readFile } = host;
host.getSourceFile = (name, ...rest) =>
  name === entry ? ts.createSourceFile(name, source, ts.ScriptTarget.ES2023) : getSourceFile.call(host, name, ...rest);
host.fileExists = (name) => name === entry || fileExists.call(host, name);
host.readFile = (name) => (name === entry ? source : readFile.call(host, name));
const program = ts.createProgram(
  [entry],
  {
    strict: true,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    target: ts.ScriptTarget.ES2023,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  },
  host,
);
const checker = program.getTypeChecker();
const objectNames = new Set(Object.keys(roots));

function objectName(type) {
  const property = type.getProperty('object');
  const kind = property && checker.getTypeOfSymbol(property);
  return kind?.isStringLiteral() ? kind.value : undefined;
}

function describe(type, depth) {
  if (type.isUnion()) {
    const all = type.types.map((each) => describe(each, depth)).filter((each) => each !== null);
    const literals = all.filter((each) => each.startsWith?.('=')).map((each) => each);
    const rest = all.filter((each) => !each.startsWith?.('='));
    const open = rest.filter((each) => each !== 'open');
    return [
      ...new Set([...literals, ...open].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)))),
    ].map((each) => (each.startsWith('{') ? JSON.parse(each) : each));
  }
  if (type.isIntersection()) return type.types.some((each) => each.flags & ts.TypeFlags.StringLike) ? 'open' : 'string';
  if (type.flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return ['open'];
  if (type.flags & ts.TypeFlags.Null) return 'null';
  if (type.flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void)) return null;
  if (type.isStringLiteral()) return `=${type.value}`;
  if (type.flags & ts.TypeFlags.StringLike) return 'string';
  if (type.flags & ts.TypeFlags.NumberLike) return 'number';
  if (type.flags & ts.TypeFlags.BooleanLiteral) return 'boolean';
  if (type.flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (type.getProperty('__brand') || type.symbol?.name === 'Decimal' || type.symbol?.name === 'DecimalImpl')
    return 'string';
  if (checker.isArrayType(type)) return { array: describe(checker.getTypeArguments(type)[0], depth) };
  const object = objectName(type);
  if (object === 'list')
    return { list: describe(checker.getTypeArguments(checker.getTypeOfSymbol(type.getProperty('data')))[0], depth) };
  if (object !== undefined && depth > 0) return objectNames.has(object) ? `@${object}` : 'open';
  const index = type.getStringIndexType();
  if (index) return { map: describe(index, depth) };
  return { fields: fields(type, depth + 1) };
}

function structured(described) {
  return [described]
    .flat()
    .some(
      (each) =>
        typeof each === 'object' && !(each.array && [each.array].flat().every((item) => typeof item === 'string')),
    );
}

function fields(type, depth) {
  const found = {};
  for (const property of type.getProperties()) {
    const optional = Boolean(property.flags & ts.SymbolFlags.Optional);
    if (depth > 7) continue;
    if (optional && !kept.has(property.name)) {
      const shallow = checker.getTypeOfSymbol(property);
      const parts = shallow.isUnion() ? shallow.types : [shallow];
      const complex = parts.some(
        (each) => each.flags & ts.TypeFlags.Object && !checker.isArrayType(each) && objectName(each) === undefined,
      );
      if (complex) continue;
    }
    const described = describe(checker.getTypeOfSymbol(property), depth);
    if (described === null || (Array.isArray(described) && described.length === 0)) continue;
    if (optional && !kept.has(property.name) && structured(described)) continue;
    found[optional ? `${property.name}?` : property.name] = described;
  }
  return found;
}

const shapes = {};
const file = program.getSourceFile(entry);
checker.getSymbolAtLocation(file)?.exports?.forEach((symbol) => {
  const name = Object.keys(roots)[Number(symbol.name.slice(1))];
  shapes[name] = fields(checker.getTypeOfSymbol(symbol), 1);
});
const errorFields = {
  'advice_code?': 'string',
  'charge?': 'string',
  'code?': 'string',
  'decline_code?': 'string',
  'doc_url?': 'string',
  'message?': 'string',
  'network_advice_code?': 'string',
  'network_decline_code?': 'string',
  'param?': 'string',
  'payment_intent?': '@payment_intent',
  'payment_method?': '@payment_method',
  'payment_method_type?': 'string',
  'request_log_url?': 'string',
  'setup_intent?': '@setup_intent',
  type: ['=api_error', '=card_error', '=idempotency_error', '=invalid_request_error'],
};
const version = require(join(root, 'node_modules/stripe/cjs/apiVersion.js')).ApiVersion;
const lines = Object.entries({ error: errorFields, ...shapes }).map(
  ([name, shape]) => `${JSON.stringify(name)}:${JSON.stringify(shape)}`,
);
writeFileSync(
  join(__dirname, '../src/conformance/shapes.json'),
  `{"version":${JSON.stringify(version)},"shapes":{\n${lines.join(',\n')}\n}}\n`,
);
