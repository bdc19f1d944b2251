/**
 * State diagrams of the documentation, generated from the tables by which the code moves its records. A step of running
 * code is a line, and a recorded resolution a dashed one; a status without a line is never left.
 */
import type { StepTable } from '@platform/durable/steps';
import { deliverySteps } from '../../services/lifecycle-delivery/src/domain/delivery';
import { operationSteps } from '../../services/operator/src/operations/domain/operation';
import { attemptSteps } from '../../services/provisioning/src/domain/attempt';

interface Steps {
  readonly begins: readonly string[];
  readonly table: StepTable;
}

const looks = {
  graph: 'bgcolor="white" pad=0.3 nodesep=0.45 ranksep=0.55 fontname="sans-serif"',
  node: 'shape=box style="rounded,filled" fillcolor="#f4f6f8" color="#5b6770" fontname="sans-serif" fontsize=12 margin="0.28,0.1"',
  edge: 'color="#3b4650" arrowsize=0.7',
};

const words = (status: string): string => status.replaceAll('_', ' ');

/** In the language of Graphviz. */
export function graphOf({ begins, table }: Steps): string {
  const entries = Object.entries(table);
  const ended = ({ to, byResolution = [] }: StepTable[string]) => to.length === 0 && byResolution.length === 0;
  const lines = [
    `graph [${looks.graph}]`,
    `node [${looks.node}]`,
    `edge [${looks.edge}]`,
    'begin [shape=circle label="" width=0.15 fillcolor="#3b4650"]',
    ...entries.map(([status, steps]) => `${status} [label="${words(status)}"${ended(steps) ? ' peripheries=2' : ''}]`),
    ...begins.map((status) => `begin -> ${status}`),
    ...entries.flatMap(([status, { to, byResolution = [] }]) => [
      ...to.map((next) => `${status} -> ${next}`),
      ...byResolution.map((next) => `${status} -> ${next} [style=dashed]`),
    ]),
  ];
  return `digraph {\n${lines.join('\n')}\n}`;
}

const drawn: Readonly<Record<string, Steps>> = {
  operation: operationSteps,
  delivery: deliverySteps,
  creation: attemptSteps,
};

/** By the name of its file in `docs/diagrams`. */
export async function diagrams(): Promise<Readonly<Record<string, string>>> {
  const { instance } = await import('@viz-js/viz');
  const graphviz = await instance();
  return Object.fromEntries(
    Object.entries(drawn).map(([name, steps]) => [
      `${name}.svg`,
      graphviz.renderString(graphOf(steps), { format: 'svg' }).replace(/<!--[\s\S]*?-->\n?/g, ''),
    ]),
  );
}
