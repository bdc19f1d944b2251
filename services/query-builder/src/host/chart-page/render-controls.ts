/**
 * The form above the charts: period, zone, workspace and the other parameters of the queries. It works without scripts.
 */
import type { RouteParameter } from '@platform/page-runtime';
import { isZone } from '../../domain/zones';
import type { LoadedPage } from '../project/load-page';
import { boundOf } from './run-queries';
import { breakdownPrefix, searchOf, valuePrefix, type Choices } from './choices';
import { addDays, titleOf } from '@platform/page-runtime/chart';
import { html, type Markup } from './html';

export interface ControlParts {
  readonly page: LoadedPage;
  readonly choices: Choices;
  readonly workspaces: readonly string[];
  readonly workspace: string | undefined;
}

export function renderControls({ page, choices, workspaces, workspace }: ControlParts): Markup {
  const { period, zone, values, breakdowns } = choices;
  const further = furtherParameters(page);
  return html`<form class="controls" method="get" aria-label="What is shown">
    <label>From <input type="date" name="from" value="${period.from}" required /></label>
    <label>To <input type="date" name="to" value="${period.to}" required /></label>
    <label
      >Time zone
      <select name="zone">
        <option value="">As each query says</option>
        ${zoneOptions(zone)}
      </select></label
    >
    ${
      workspaces.length > 1 &&
      html`<label
        >Workspace
        <select name="workspace">
          ${options(workspaces, workspace)}
        </select></label
      >`
    }
    ${further.map((parameter) => control(parameter, values.get(parameter.name)))}
    ${[...breakdowns].map(([name, field]) => html`<input type="hidden" name="${breakdownPrefix}${name}" value="${field}" />`)}
    <button type="submit" class="primary">Show</button>
    <nav class="chips presets" aria-label="Ready-made periods">${presets(choices, workspace)}</nav>
  </form>`;
}

interface Further extends RouteParameter {
  /** The queries that take it accept different values, so each has its own until one is chosen. */
  readonly mixed: boolean;
}

/** Parameters other than the ends of the period, one per name. */
function furtherParameters(page: LoadedPage): Further[] {
  const all = page.routes
    .flatMap(({ rehearsal }) => rehearsal.parameters)
    .filter((parameter) => boundOf(parameter) === undefined);
  return [...new Set(all.map(({ name }) => name))].map((name) => joined(all.filter((each) => each.name === name)));
}

/** One control for all queries that take a value of this name: it offers what any of them accepts. */
function joined(parameters: readonly RouteParameter[]): Further {
  const { options: _own, ...first } = parameters[0]!;
  const lists = parameters.flatMap((each) => (each.options ? [each.options] : []));
  const role = parameters.every((each) => each.role === first.role) ? first.role : 'text';
  const mixed = lists.some((list) => list.join('\n') !== lists[0]!.join('\n'));
  const offered = lists.length === parameters.length && { options: [...new Set(lists.flat())] };
  return { ...first, role, mixed, ...offered };
}

function control({ name, role, options: choices, mixed }: Further, value: string | undefined): Markup {
  const field = `${valuePrefix}${name}`;
  if (choices)
    return html`<label
      >${titleOf(name)}
      <select name="${field}">
        ${mixed && html`<option value="">As each query says</option>`}${options(choices, value)}
      </select></label
    >`;
  if (role === 'boolean')
    return html`<label
      >${titleOf(name)}
      <select name="${field}">
        <option value="">&ndash;</option>
        ${options(['true', 'false'], value)}
      </select></label
    >`;
  const type = role === 'date' ? 'date' : 'text';
  return html`<label
    >${titleOf(name)}
    <input type="${type}" name="${field}" value="${value ?? ''}" ${role === 'number' && html` inputmode="decimal"`}
  /></label>`;
}

function options(values: readonly string[], chosen: string | undefined): Markup[] {
  return values.map((value) => html`<option value="${value}" ${value === chosen && html` selected`}>${value}</option>`);
}

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC' && isZone(name))];

function zoneOptions(chosen: string | undefined): Markup[] {
  return options(chosen === undefined || zones.includes(chosen) ? zones : [chosen, ...zones], chosen);
}

function presets(choices: Choices, workspace: string | undefined): Markup[] {
  const { period, today } = choices;
  const ready = [
    { title: '7 days', from: addDays(today, -6) },
    { title: '30 days', from: addDays(today, -29) },
    { title: '90 days', from: addDays(today, -89) },
    { title: 'This year', from: `${today.slice(0, 4)}-01-01` },
    { title: '12 months', from: addDays(today, -364) },
  ];
  return ready.map(
    ({ title, from }) =>
      html`<a
        href="${searchOf(choices, workspace, { from, to: today })}"
        ${period.from === from && period.to === today && html` aria-current="true"`}
        >${title}</a
      >`,
  );
}
