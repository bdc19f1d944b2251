/**
 * Draws the charts of a page from the figures beside them. Without this script the document has all figures in tables;
 * the script adds the picture and a readout of single points by pointer and arrow keys.
 */
export const pageScript = `'use strict';
(() => {
  const charts = [];
  // A canvas takes no variables and no light-dark(): an element says what they come to.
  const colour = (name) => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(' + name + ')';
    const computed = getComputedStyle(probe).color;
    probe.remove();
    return computed;
  };
  const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
  // Rounded to places, the ticks of small figures would all be 0.
  const fine = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
  const tick = (at) => (Math.abs(at) < 10 ? fine : compact).format(at);

  function draw(place) {
    const { bars: asBars, labels, values, texts, partial, before, beforeTexts, beforeLabels, parts, rows } = JSON.parse(document.getElementById(place.dataset.chart).textContent);
    const bars = asBars && !parts;
    const readout = document.getElementById(place.id + '-readout');
    const say = (index) => {
      const value = values[index] === null ? 'no value' : texts[index];
      const earlier = before && before[index] != null ? (labels[index] ? ', ' : '') + 'before (' + beforeLabels[index] + '): ' + beforeTexts[index] : '';
      const each = (parts ?? []).filter((part) => part.values[index] !== null).map((part) => part.label + ' ' + part.texts[index]);
      if (parts) readout.textContent = labels[index] + (partial[index] ? ' (part): ' : ': ') + [value, ...each].join(' · ');
      else readout.textContent = labels[index] ? labels[index] + (partial[index] ? ' (part): ' : ': ') + value + earlier : earlier;
    };
    // The chart library widens the axis of one point by a rule of its own, so the ends are said here.
    const last = labels.length - 1;
    const positions = labels.map((_label, index) => index);
    const padded = before && positions.map((index) => before[index] ?? null);
    // What is only a part of its time is drawn apart: pale as a bar, dashed as the end of a line.
    const whole = values.map((value, index) => (partial[index] ? null : value));
    const cut = values.map((value, index) => (partial[index] || (!bars && (partial[index - 1] || partial[index + 1])) ? value : null));
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { stroke: colour('--line') }, font: '12px system-ui' };
    const every = (self, splits) => splits.map((at) => (Number.isInteger(at) && labels[at] !== undefined ? labels[at] : ''));
    const line = { label: 'Value', stroke: colour('--accent'), width: 2, points: { show: labels.length < 40, filter: lone(whole) } };
    const options = {
      width: Math.max(place.clientWidth, 120), height: 220, legend: { show: false },
      // Half of the widest label lies beyond the last point.
      padding: [null, 44, null, null],
      cursor: { y: false, drag: { setScale: false }, points: { size: 8 } },
      scales: { x: { time: false, range: () => (bars ? [-0.6, last + 0.6] : last === 0 ? [-1, 1] : [0, last]) }, y: { range: (_self, low, high) => spread(low, high) } },
      axes: [{ ...axis, size: 36, values: every, incrs: [1, 2, 3, 4, 6, 12, 24, 30, 60, 90, 180, 365, 730], space: 90 }, { ...axis, size: 60, values: (_self, splits) => splits.map(tick) }],
      series: parts ? [{}, ...parts.map((part, at) => ({ ...line, label: part.label, stroke: colour('--part-' + (at + 1)), points: { ...line.points, filter: lone(part.values) } }))] : [{}, bars ? { ...line, fill: colour('--accent'), points: { show: false }, paths: uPlot.paths.bars({ size: [0.7, 48] }) } : line,
        bars ? { ...line, label: 'Part', fill: colour('--accent-soft'), dash: [4, 4], points: { show: false }, paths: uPlot.paths.bars({ size: [0.7, 48] }) } : { ...line, label: 'Part', dash: [3, 4], points: { show: false } },
        ...(padded ? [{ label: 'Before', stroke: colour('--before'), width: 2, dash: [6, 4], points: { show: false, filter: lone(padded) } }] : [])],
      hooks: { setCursor: [(self) => { if (self.cursor.idx != null) say(self.cursor.idx); }] },
    };
    const drawn = parts ? parts.map((part) => part.values) : [whole, cut, ...(padded ? [padded] : [])];
    const chart = new uPlot(options, [positions, ...drawn], place);
    if (rows) place.onclick = () => { if (rows[chart.cursor.idx]) location.assign(rows[chart.cursor.idx]); };
    place.onkeydown = (event) => {
      if (event.key === 'Enter' && rows && rows[chart.cursor.idx]) location.assign(rows[chart.cursor.idx]);
      const now = chart.cursor.idx ?? (event.key === 'ArrowLeft' ? labels.length : -1);
      const next = { ArrowRight: Math.min(last, now + 1), ArrowLeft: Math.max(0, now - 1), Home: 0, End: last }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      chart.setCursor({ left: chart.valToPos(next, 'x'), top: 10 });
      say(next);
    };
    return chart;
  }

  /** Between two gaps there is no line to see: such points are drawn also where the others are not. */
  function lone(figures) {
    const alone = figures.flatMap((figure, at) => (figure !== null && (figures[at - 1] ?? null) === null && (figures[at + 1] ?? null) === null ? [at] : []));
    return (_self, _series, show) => (show || alone.length === 0 ? null : alone);
  }

  function spread(low, high) {
    if (low == null) return [0, 1];
    const [bottom, top] = [Math.min(0, low), Math.max(0, high)];
    return bottom === top ? [0, 1] : [bottom === 0 ? 0 : bottom * 1.08, top === 0 ? 0 : top * 1.08];
  }

  function drawAll() {
    charts.splice(0).forEach((chart) => chart.destroy());
    for (const place of document.querySelectorAll('[data-chart]')) charts.push(draw(place));
    document.documentElement.dataset.drawn = String(charts.length);
  }

  // The zone of who looks is the first that is offered.
  const zones = document.querySelector('select[name="zone"]');
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zones && here) {
    const own = [...zones.options].find(({ value }) => value === here) ?? new Option(here, here);
    own.textContent = 'Yours: ' + here;
    zones.options[0].after(own);
  }

  let width = 0;
  new ResizeObserver(() => {
    if (document.body.clientWidth === width) return;
    width = document.body.clientWidth;
    drawAll();
  }).observe(document.body);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
})();
`;
