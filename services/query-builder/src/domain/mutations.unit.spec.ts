import { isFullProof } from '@platform/testing';
import { exchanges, harmless, type Exchange } from '../testing/exchanges';
import { mutationsOf, programOf } from '../testing/mutations';
import {
  builtInRegistry,
  modelPath,
  pagePath,
  readSources,
  resourcePath,
  sampleFolder,
} from '../testing/scratch-project';
import { certify, endpointsOf, routesOfPage, structureOf } from './page-queries';
import { readModel } from './project';
import { readPageSource } from './source/class-source';
import { parseSource, SourceError, ts } from './source/parse';

const templates = builtInRegistry();
const sample = readSources(sampleFolder);

/** The queries that are read back from the page, without positions; undefined when a file does not parse. */
function reading(pageText: string, modelText: string, resourceText = sample[resourcePath]!): string | undefined {
  try {
    const page = readPageSource(pagePath, pageText);
    const model = readModel('orders', resourceText, modelText);
    const queries = routesOfPage(page).map((route) => {
      const {
        opaqueAt: _place,
        opaqueDetail: _detail,
        ...structure
      } = structureOf(route, certify(page, route, route.model?.resource === 'orders' ? model : undefined, templates));
      return structure;
    });
    return JSON.stringify([queries, endpointsOf(page).map(({ endpoint }) => endpoint)]);
  } catch (error) {
    if (error instanceof SourceError) return undefined;
    throw error;
  }
}

// Running all of them takes a minute. The seed of the day selects some, so that each is reached over time; the full
// proof runs all.
const stride = isFullProof() || process.env['MUTATIONS'] === 'all' ? 1 : 9;
const offset = Number(process.env['MUTATION_OFFSET'] ?? 4) % stride;

function survivors(
  path: string,
  wanted: (node: ts.Node) => boolean,
): { readonly tried: number; readonly survived: string[] } {
  const text = sample[path]!;
  const program = programOf(text);
  const before = reading(sample[pagePath]!, sample[modelPath]!);
  const mutations = mutationsOf(parseSource(path, text), wanted).filter((_, index) => index % stride === offset);
  const survived = mutations.filter((mutation) => {
    const after =
      path === pagePath ? reading(mutation.text, sample[modelPath]!) : reading(sample[pagePath]!, mutation.text);
    return after === before && programOf(mutation.text) !== program;
  });
  return { tried: mutations.length, survived: survived.map(({ what, line }) => `${path}:${line} ${what}`) };
}

describe('a query whose source was mutated', () => {
  it('never reads back as it was, when its routes mean something else', () => {
    const { tried, survived } = survivors(pagePath, (node) => ts.isMethodDeclaration(node));
    expect(survived).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });

  it('never reads back as it was, when its chains mean something else', () => {
    const { tried, survived } = survivors(
      modelPath,
      (node) => ts.isMethodDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isHeritageClause(node),
    );
    expect(survived).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });

  it('never reads back as it was, when its names come from elsewhere', () => {
    expect(
      survivors(pagePath, (node) => ts.isStringLiteral(node) && ts.isImportDeclaration(node.parent)).survived,
    ).toEqual([]);
    expect(
      survivors(modelPath, (node) => ts.isStringLiteral(node) && ts.isImportDeclaration(node.parent)).survived,
    ).toEqual([]);
  });
});

describe('code beside the routes', () => {
  const texts = { page: sample[pagePath]!, model: sample[modelPath]!, resource: sample[resourcePath]! };
  const before = reading(texts.page, texts.model);
  const readingAfter = ({ what, path, apply }: Exchange): string | undefined => {
    const text = apply(texts[path]);
    expect({ what, applies: text !== texts[path] }).toEqual({ what, applies: true });
    const now = { ...texts, [path]: text };
    return reading(now.page, now.model, now.resource);
  };

  it.each(exchanges.map((each) => [`${each.path}: ${each.what}`, each] as const))(
    'that could put something else in their place is noticed: %s',
    (_what, exchange) => {
      const now = readingAfter(exchange);
      expect(now === undefined || !now.includes('"opaque":false')).toBe(true);
    },
  );

  it.each(harmless.map((each) => [`${each.path}: ${each.what}`, each] as const))(
    'that reaches none of them leaves every query editable: %s',
    (_what, change) => expect(readingAfter(change)).toBe(before),
  );
});
