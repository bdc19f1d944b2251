/**
 * Finds the parameters and calculations of a route by running it once without a database when its page is loaded: every
 * value is a probe, and every calculation is compiled and answered with an empty result. So the host can refuse a
 * request before the first command, name the parameter, offer the right control for it, and report a chain that could
 * never run.
 */
import type { Calculation, Condition } from './chain';
import { BadValueError, type ValueRole } from './coercions';
import { callRoute, type RequestText } from './call-route';
import { ChainError } from './compile/chain-error';
import { valuesOf, type PageClass, type RouteNote, type ValueSource } from './decorators';
import type { Resource } from './resource';
import type { Stage } from './compile/stage';
import { createRowAccess } from './row-access';
import type { FilterOp } from './vocabulary';

export interface RouteParameter {
  readonly name: string;
  readonly in: ValueSource;
  /** `unknown` when a hand-written route uses the text in its own way. */
  readonly role: ValueRole | 'unknown';
  /** The values that a `select` accepts. */
  readonly options?: readonly string[];
  /** The comparisons that use the value. */
  readonly uses: readonly { readonly field: string; readonly op: FilterOp }[];
}

export interface RehearsedCalculation {
  readonly resource: Resource;
  readonly calculation: Calculation;
}

export interface Rehearsal {
  readonly parameters: readonly RouteParameter[];
  /** In the order in which they run; several when a period is compared. */
  readonly calculations: readonly RehearsedCalculation[];
  readonly needsTenant: boolean;
  /** The input and result of the last run: another run of the same chain must give the same result. */
  readonly run: RehearsedRun;
}

export interface RehearsedRun {
  /** The values of the request, by name. */
  readonly texts: Readonly<Record<string, string>>;
  /** The commands that would have been sent to the database, in order. */
  readonly commands: readonly { readonly collection: string; readonly pipeline: readonly Stage[] }[];
  /** The answer over no rows; undefined when the route did not answer. */
  readonly answer: unknown;
}

/** The tenant for whom routes are rehearsed. */
export const rehearsalTenant = 'rehearsal';

interface Probe {
  readonly name: string;
  readonly in: ValueSource;
  text: string;
  role: ValueRole | 'unknown';
  options?: readonly string[];
}

/** Far from each other and from any value that is written in a page. */
const probeDate = (index: number): string => new Date(Date.UTC(1971, 6, 1 + index, 3, 7, 11, 13)).toISOString();
const probeId = (index: number): string => `facade${String(index).padStart(18, '0')}`;
const probeNumber = (index: number): string => String(7_654_321 + index * 1_013);

/**
 * Runs the route on probes. Throws ChainError when one of its chains cannot be compiled, whatever the request contains.
 */
export async function rehearse(page: PageClass, route: RouteNote): Promise<Rehearsal> {
  const probes = valuesOf(route).map(({ index, name, source }): Probe => ({
    name,
    in: source,
    text: `probe-${index}-of-${route.method}`,
    role: 'unknown',
  }));
  // Each run determines at least one more probe, or is the last.
  for (let runs = 0; runs <= probes.length; runs += 1) {
    const { refused, ...ran } = await run(page, route, probes);
    const probe = refused && probes.find(({ text, role }) => text === refused.text && role === 'unknown');
    if (!probe) return conclude(probes, ran);
    Object.assign(probe, {
      role: refused.role,
      ...(refused.options && { options: refused.options }),
      text: acceptable(refused, probes.indexOf(probe)),
    });
  }
  return conclude(probes, { calculations: [], commands: [], answer: undefined });
}

function acceptable({ role, options, text }: BadValueError, index: number): string {
  switch (role) {
    case 'number':
      return probeNumber(index);
    case 'boolean':
      return 'true';
    case 'date':
      return probeDate(index);
    case 'select':
      return options?.[0] ?? text;
    case 'id':
      return probeId(index);
    case 'text':
      return text;
  }
}

type Ran = Pick<Rehearsal, 'calculations'> & Omit<RehearsedRun, 'texts'>;

async function run(
  page: PageClass,
  route: RouteNote,
  probes: readonly Probe[],
): Promise<Ran & { readonly refused?: BadValueError }> {
  const calculations: RehearsedCalculation[] = [];
  const commands: RehearsedRun['commands'][number][] = [];
  const access = createRowAccess({
    aggregate: async (collection, pipeline) => {
      commands.push({ collection, pipeline });
      return [];
    },
    tenantId: rehearsalTenant,
    observe: (resource, calculation) => void calculations.push({ resource, calculation }),
  });
  const value: RequestText = (name) => probes.find((probe) => probe.name === name)!.text;
  const user = { id: 'rehearsal', tenantId: rehearsalTenant, permissions: [] };
  try {
    return { calculations, commands, answer: await callRoute(page, route, { value, access, user }) };
  } catch (error) {
    if (error instanceof BadValueError) return { calculations, commands, answer: undefined, refused: error };
    if (error instanceof ChainError) throw error;
    // Hand-written code may need rows to continue; its questions up to that point are known.
  }
  return { calculations, commands, answer: undefined };
}

function conclude(probes: readonly Probe[], { calculations, ...ran }: Ran): Rehearsal {
  const conditions = calculations.flatMap(({ resource, calculation }) =>
    calculation.where.map((condition) => ({ resource, condition })),
  );
  const parameters = probes.map((probe): RouteParameter => {
    const used = conditions.filter(({ condition }) => carries(condition, probe));
    const role = probe.role === 'unknown' && used.length > 0 ? 'text' : probe.role;
    const uses = used.map(({ condition: { field, op } }) => ({ field, op }));
    return { name: probe.name, in: probe.in, role, ...(probe.options && { options: probe.options }), uses };
  });
  const texts = Object.fromEntries(probes.map(({ name, text }) => [name, text]));
  return {
    parameters,
    calculations,
    needsTenant: calculations.some(({ resource }) => resource.tenantScoped),
    run: { texts, ...ran },
  };
}

/** There are too few truth values to distinguish probes. */
function carries({ value }: Condition, { text, role }: Probe): boolean {
  if (role === 'boolean') return false;
  if (value instanceof Date) return role === 'date' && value.getTime() === Date.parse(text);
  return typeof value === 'number' ? role === 'number' && value === Number(text) : value === text;
}
