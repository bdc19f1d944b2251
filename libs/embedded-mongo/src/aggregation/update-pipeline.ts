/** Pipelines in updates: only stages that change one document at a time are allowed (code 72 for others). */
import { failCommand } from '../errors';
import { identicalValues } from '../bson/compare';
import type { Doc, Value } from '../bson/values';
import { environmentOf, outermostScope } from '../expressions/compile';
import { Scope } from '../expressions/scope';
import type { Paced } from '../storage/pause';
import { compilePipeline, stageParts } from './pipeline';

const allowed = ['$set', '$addFields', '$unset', '$project', '$replaceRoot', '$replaceWith'];

/** A function from the stored document to the new one; `_id` stays unless the pipeline sets another. */
export function compileUpdatePipeline(
  pipeline: Value[],
  constants: Value | undefined,
  outerScope: Scope,
): (document: Doc) => Doc {
  const scope = new Scope(outerScope);
  if (constants instanceof Map) {
    const outer = outermostScope();
    for (const [name, source] of constants) scope.define(name, outer.compile(source)(environmentOf(undefined)));
  }
  const sources = pipeline as Doc[];
  for (const source of sources) {
    const [name] = stageParts(source);
    if (!allowed.includes(name)) failCommand(72, `${name} is not allowed to be used within an update`);
  }
  const stages = compilePipeline(sources, {
    scope,
    read: () => [],
    tick: () => false,
    compile: () => [],
  });
  return (document) => {
    const [result] = stages.reduce<Paced<Doc>>((input, stage) => stage(input), [document]);
    if (identicalValues(document, result as Doc)) return document;
    return withFormerId(document, result as Doc);
  };
}

function withFormerId(document: Doc, result: Doc): Doc {
  const id = document.get('_id');
  if (id === undefined || result.has('_id')) return result;
  return new Map([['_id', id], ...result]);
}
