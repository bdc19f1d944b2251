/** The protocol's documents show the schemas with which the code decodes. `UPDATE_DOCS=1` writes them again. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { jsonSchemaOf, lifecycleAsyncApi, protocolSchemas } from './asyncapi';

const docs = path.resolve(__dirname, '../../../../../docs');
const update = process.env['UPDATE_DOCS'] === '1';

function compare(file: string, wanted: string): void {
  const target = path.join(docs, file);
  if (update) writeFileSync(target, wanted);
  else expect(readFileSync(target, 'utf8')).toBe(wanted);
}

describe('the documents of the consumer protocol', () => {
  it('asyncapi.json is the document drawn from the contracts', () => {
    compare('asyncapi.json', `${JSON.stringify(lifecycleAsyncApi(), null, 2)}\n`);
  });

  it('consumer-protocol.md shows each schema as the code has it', () => {
    const before = readFileSync(path.join(docs, 'consumer-protocol.md'), 'utf8');
    const shown = [
      'register',
      'registered',
      'unregister',
      'delivery',
      'receipt',
      'failure',
      'test',
      'testReceipt',
      'testFailure',
      'access',
      'inventory',
    ] as const;
    const after = shown.reduce((text, name) => {
      const marker = new RegExp(`(<!-- schema ${name} -->\\n)[\\s\\S]*?(<!-- end ${name} -->)`);
      expect(text).toMatch(marker);
      return text.replace(
        marker,
        (_all, open: string, close: string) =>
          `${open}\`\`\`json\n${JSON.stringify(jsonSchemaOf(protocolSchemas[name]), null, 2)}\n\`\`\`\n${close}`,
      );
    }, before);
    compare('consumer-protocol.md', after);
  });

  it('asyncapi.json refers to nothing that it does not hold', () => {
    const document = lifecycleAsyncApi();
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, reference]) => reference!,
    );
    const target = (reference: string) =>
      reference
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document);
    expect(references.length).toBeGreaterThan(10);
    expect(references.filter((reference) => target(reference) === undefined)).toEqual([]);
  });
});
