/** Compiles pipelines. A stage that the store does not offer is refused with code 40324, before anything is read. */
import { failCommand } from '../errors';
import type { Doc, Value } from '../bson/values';
import type { Paced } from '../storage/pause';
import { gathered, paced } from '../storage/pause';
import { groupStage } from './group-stage';
import { lookupStage } from './lookup-stage';
import {
  countOf,
  countStage,
  limitStage,
  matchStage,
  projectStage,
  replaceRootStage,
  setStage,
  skipStage,
  sortStage,
  unsetStage,
} from './simple-stages';
import type { Stage, Surroundings } from './stage';
import { unwindStage } from './unwind-stage';

export const stageNames = [
  '$match',
  '$group',
  '$sort',
  '$limit',
  '$skip',
  '$project',
  '$set',
  '$addFields',
  '$unset',
  '$unwind',
  '$count',
  '$facet',
  '$lookup',
  '$replaceRoot',
  '$replaceWith',
];

/** Name and argument of a stage. Throws 40323 unless it has exactly one field. */
export function stageParts(stage: Doc): [string, Value] {
  if (stage.size !== 1) failCommand(40323, 'A pipeline stage specification object must contain exactly one field.');
  return [...stage][0] as [string, Value];
}

export function compilePipeline(pipeline: readonly Doc[], surroundings: Surroundings): Stage[] {
  return pipeline.map((source, index) => {
    const [name, spec] = stageParts(source);
    return compileStage(name, spec, surroundings, limitAfter(pipeline, index));
  });
}

/** The limit that directly follows a sort, so that only the first documents are kept. */
function limitAfter(pipeline: readonly Doc[], index: number): number | undefined {
  const next = pipeline[index + 1];
  return next?.has('$limit') ? countOf('$limit', next.get('$limit') as Value) : undefined;
}

function compileStage(name: string, spec: Value, surroundings: Surroundings, limit: number | undefined): Stage {
  const { scope } = surroundings;
  switch (name) {
    case '$match':
      return matchStage(spec, scope);
    case '$group':
      return groupStage(spec, scope);
    case '$sort':
      return sortStage(spec, limit);
    case '$limit':
      return limitStage(countOf(name, spec));
    case '$skip':
      return skipStage(countOf(name, spec));
    case '$project':
      return projectStage(spec, scope);
    case '$set':
    case '$addFields':
      return setStage(spec, scope);
    case '$unset':
      return unsetStage(spec, scope);
    case '$unwind':
      return unwindStage(spec);
    case '$count':
      return countStage(spec);
    case '$replaceRoot':
    case '$replaceWith':
      return replaceRootStage(name, spec, scope);
    case '$facet':
      return facetStage(spec, surroundings);
    case '$lookup':
      return lookupStage(spec, surroundings);
    default:
      return failCommand(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

const outsideFacets = ['$facet', '$out', '$merge', '$indexStats', '$collStats', '$geoNear', '$changeStream'];

function facetStage(spec: Value, surroundings: Surroundings): Stage {
  if (!(spec instanceof Map) || spec.size === 0)
    return failCommand(40169, 'the $facet specification must be a non-empty object');
  const facets = [...spec].map(([name, pipeline]) => {
    if (!Array.isArray(pipeline)) return failCommand(40170, `arguments to $facet must be arrays, ${name} is not`);
    checkFacetName(name);
    for (const stage of pipeline) {
      if (!(stage instanceof Map))
        return failCommand(40171, `elements of arrays in $facet spec must be non-empty objects`);
      const [stageName] = stageParts(stage);
      if (outsideFacets.includes(stageName))
        failCommand(40600, `${stageName} is not allowed to be used within a $facet stage`);
    }
    return { name, stages: compilePipeline(pipeline as Doc[], { ...surroundings, insideFacet: true }) };
  });
  return function* (all) {
    const documents = yield* gathered(all);
    const result: Doc = new Map();
    for (const { name, stages } of facets) {
      const source = paced(documents, surroundings.tick);
      result.set(name, yield* gathered(stages.reduce<Paced<Doc>>((input, stage) => stage(input), source)));
    }
    yield result;
  };
}

function checkFacetName(name: string): void {
  if (name === '') failCommand(15998, 'FieldPath field names may not be empty strings.');
  if (name.startsWith('$')) failCommand(16410, "FieldPath field names may not start with '$'.");
  if (name.includes('.')) failCommand(16412, "FieldPath field names may not contain '.'.");
}
