/** The page author's settings for the display of a query, and the rows that readers may see behind its figures. */
import { pageRoutePrefix } from '@platform/base/page';
import { canBreakDown, type Block, type RehearsedCalculation } from '@platform/page-runtime';
import type { LoadedPage, LoadedRoute } from '../project/load-page';

const addressOf = ({ compiled }: LoadedPage, { note }: LoadedRoute): string =>
  `${pageRoutePrefix}${compiled.pageRef}${note.endpoint}`;

/** The position of a query on its page; undefined when the author set none. */
export function positionOf(page: LoadedPage, route: LoadedRoute): number | undefined {
  const at = page.definition.blocks?.findIndex(({ fetchUrl }) => fetchUrl === addressOf(page, route)) ?? -1;
  return at < 0 ? undefined : at;
}

export function blockOf(page: LoadedPage, route: LoadedRoute): Block | undefined {
  const at = positionOf(page, route);
  return at === undefined ? undefined : page.definition.blocks?.[at];
}

/**
 * The calculation that produces a route's figures; hand-written code with several calculations builds its own answer.
 */
export function calculationOf({ rehearsal }: LoadedRoute): RehearsedCalculation | undefined {
  const { calculations, parameters } = rehearsal;
  const compares = parameters.some(({ name }) => name === 'compareFrom');
  return calculations.length === (compares ? 2 : 1) ? calculations[0] : undefined;
}

/** The fields by which a reader may break down a query's figures. */
export function breakdownsOf(page: LoadedPage, route: LoadedRoute): readonly string[] {
  const asked = calculationOf(route);
  if (!asked || (asked.calculation.kind === 'scalar' && asked.calculation.custom)) return [];
  const { resource, calculation } = asked;
  const own = calculation.kind === 'series' ? calculation.groupBy : undefined;
  return (blockOf(page, route)?.breakdown ?? []).filter((field) => field !== own && canBreakDown(resource, field));
}

/** The fields of the rows that a reader may see behind a query's figures; empty: no rows are shown. */
export function rowFieldsOf(page: LoadedPage, route: LoadedRoute): readonly string[] {
  return calculationOf(route) ? (blockOf(page, route)?.rows ?? []) : [];
}
