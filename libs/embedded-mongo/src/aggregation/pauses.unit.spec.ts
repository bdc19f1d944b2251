/**
 * Pauses between documents must change nothing: every stage gives the same result with and without them, and passes
 * them on.
 */
import { decodeDoc } from '../bson/decode';
import { encodeDoc } from '../bson/encode';
import type { Doc, Value } from '../bson/values';
import { doc, int } from '../bson/values';
import { outermostScope } from '../expressions/compile';
import type { Paced } from '../storage/pause';
import { pauseMark } from '../storage/pause';
import { compilePipeline, stageNames } from './pipeline';
import type { Surroundings } from './stage';

const documents: Doc[] = Array.from({ length: 40 }, (_unused, index) =>
  doc(
    ['_id', int(index)],
    ['kind', int(index % 3)],
    ['tags', [int(index), int(index % 2)]],
    ['inner', doc(['n', int(index)])],
  ),
);

function* withPauses(source: Iterable<Doc>): Generator<Doc | typeof pauseMark> {
  for (const document of source) {
    yield pauseMark;
    yield document;
    yield pauseMark;
  }
}

function run(pipeline: Doc[], input: Paced<Doc>, interrupt: boolean): { results: string[]; pauses: number } {
  const surroundings: Surroundings = {
    scope: outermostScope(),
    read: () => (interrupt ? withPauses(documents) : documents),
    tick: () => interrupt,
    compile: (inner, scope) => compilePipeline(inner, { ...surroundings, scope }),
  };
  const stages = compilePipeline(pipeline, surroundings);
  const results: string[] = [];
  let pauses = 0;
  for (const result of stages.reduce((source, stage) => stage(source), input)) {
    if (result === pauseMark) pauses += 1;
    else results.push(encodeDoc(result).toString('hex'));
  }
  return { results, pauses };
}

const field = (name: string, value: Value): Doc => doc([name, value]);
const grouped = field('$group', doc(['_id', '$kind'], ['n', field('$sum', '$_id')], ['all', field('$push', '$_id')]));
const pipelines: Record<string, Doc[]> = {
  $match: [field('$match', field('kind', int(1)))],
  $group: [grouped],
  $sort: [field('$sort', field('kind', int(-1)))],
  $limit: [field('$sort', field('_id', int(-1))), field('$limit', int(7))],
  $skip: [field('$skip', int(33))],
  $project: [field('$project', field('kind', int(1)))],
  $set: [field('$set', field('twice', field('$add', ['$_id', '$_id'])))],
  $addFields: [field('$addFields', field('one', int(1)))],
  $unset: [field('$unset', 'tags')],
  $unwind: [field('$unwind', '$tags')],
  $count: [field('$count', 'n')],
  $facet: [field('$facet', doc(['few', [field('$limit', int(2))]], ['groups', [grouped]]))],
  $lookup: [
    field('$limit', int(3)),
    field(
      '$lookup',
      doc(
        ['from', 'x'],
        ['as', 'found'],
        ['let', field('k', '$kind')],
        ['pipeline', [field('$match', field('$expr', field('$eq', ['$_id', '$$k'])))]],
      ),
    ),
  ],
  $replaceRoot: [field('$replaceRoot', field('newRoot', '$inner'))],
  $replaceWith: [field('$replaceWith', '$inner')],
};

describe('a pipeline with pauses between its documents', () => {
  it.each(stageNames)('gives the same through %s and hands the pauses on', (stage) => {
    const pipeline = pipelines[stage] as Doc[];
    const plain = run(pipeline, documents, false);
    const interrupted = run(pipeline, withPauses(documents), true);
    expect(interrupted.results).toEqual(plain.results);
    expect(plain.results.length).toBeGreaterThan(0);
    expect(plain.pauses).toBe(0);
    expect(interrupted.pauses).toBeGreaterThan(0);
    expect(decodeDoc(Buffer.from(plain.results[0] as string, 'hex')).size).toBeGreaterThan(0);
  });
});
