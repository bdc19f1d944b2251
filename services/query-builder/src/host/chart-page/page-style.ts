/** The style of chart pages, in light and dark; every pair of colours has at least the contrast that WCAG AA asks for. */
export const pageStyle = `:root{color-scheme:light dark;--ground:#f6f7f9;--paper:#fff;--ink:#1c2430;--soft:#596475;--line:#d7dce3;--accent:#1f5fc4;--accent-soft:#c9dbf7;--before:#8a5a00;--good:#1a7340;--bad:#b3261e}
@media (prefers-color-scheme:dark){:root{--ground:#12161c;--paper:#1b212a;--ink:#e8ecf1;--soft:#a5b0bf;--line:#35404e;--accent:#7fb0ff;--accent-soft:#29456f;--before:#f0b54a;--good:#6fd39a;--bad:#ff9c94}}
*{box-sizing:border-box}body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
a{color:var(--accent)}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}main:focus{outline:none}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;background:var(--paper);padding:.5rem 1rem;z-index:1}
header{display:flex;flex-wrap:wrap;gap:.5rem 2rem;align-items:center;justify-content:space-between;padding:1rem 1.5rem 0}
header,main{max-width:82rem;margin:0 auto}main{padding:1rem 1.5rem 3rem}
h1{font-size:1.6rem;margin:0}h2{font-size:1rem;margin:0 0 .25rem;color:var(--soft);font-weight:600}
.who span{overflow-wrap:anywhere;min-width:0}.search{margin-bottom:1rem}.who{display:flex;flex-wrap:wrap;gap:1rem;align-items:center;color:var(--soft);font-size:.9rem}
.controls{display:flex;flex-wrap:wrap;gap:.75rem 1rem;align-items:end;margin-bottom:1rem}
label{display:grid;gap:.2rem;font-size:.85rem;color:var(--soft)}
input,select,button{font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:.4rem;padding:.4rem .6rem;max-width:18rem;min-height:2.5rem}
button{cursor:pointer}.controls button,.sign-in button{background:var(--accent);color:var(--paper);border-color:var(--accent);font-weight:600}
.presets{display:flex;flex-wrap:wrap;gap:.9rem;width:100%;font-size:.9rem}.presets a[aria-current]{color:var(--ink);font-weight:600;text-decoration:none}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:1rem;margin-bottom:1rem;align-items:start}.charts{grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr))}.lists{grid-template-columns:repeat(auto-fill,minmax(min(100%,22rem),1fr))}.figures{align-items:stretch}
.card{background:var(--paper);border:1px solid var(--line);border-radius:.6rem;padding:1rem 1.2rem;min-width:0}
.headline{font-size:2rem;font-weight:650;margin:0;font-variant-numeric:tabular-nums;overflow-wrap:anywhere}
.delta{margin:.1rem 0 .4rem;font-weight:600}.good{color:var(--good)}.bad{color:var(--bad)}.flat{color:var(--soft)}
.note{color:var(--soft);font-size:.82rem;font-weight:400;margin:.3rem 0 0}.notice{border-left:4px solid var(--before);padding:.4rem .8rem;background:var(--paper);margin:0 0 1rem}
.state{color:var(--soft);margin:.5rem 0}.error{color:var(--bad)}
.chart{width:100%;min-height:220px;border-radius:.3rem}.readout{min-height:1.4em;margin:.2rem 0 0;font-size:.9rem;font-variant-numeric:tabular-nums}
.legend svg{width:2rem;height:.6em}.legend line{stroke:var(--before);stroke-width:2;stroke-dasharray:6 4}
.sparkline{width:100%;height:40px;display:block}.sparkline polyline{fill:none;stroke:var(--accent);stroke-width:2;stroke-linecap:round;vector-effect:non-scaling-stroke}
.ranking{list-style:none;margin:.3rem 0 0;padding:0;display:grid;gap:.45rem}.ranking li{display:grid;grid-template-columns:1fr auto;gap:0 1rem}
.ranking .name{overflow-wrap:anywhere}.ranking .figure{font-variant-numeric:tabular-nums}.ranking svg{grid-column:1/-1;width:100%;height:.45rem;background:var(--accent-soft);border-radius:.2rem}.ranking rect{fill:var(--accent)}.ranking rect.below{fill:var(--before)}.ranking+details .ranking{margin-top:.45rem}.scope,.warning{color:var(--before);font-weight:600}
details{margin-top:.4rem;font-size:.9rem}summary{cursor:pointer;color:var(--accent)}.scroll{max-height:16rem;overflow:auto}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.15rem .5rem;border-bottom:1px solid var(--line);font-weight:400}td{text-align:right;font-variant-numeric:tabular-nums}thead th{position:sticky;top:0;background:var(--paper);font-weight:600}thead th:last-child{text-align:right}
.pages{display:grid;gap:.5rem;padding-left:1.2rem}code{color:var(--soft);font-size:.85em}.refusal{max-width:32rem}.sign-in{display:grid;gap:.75rem;justify-items:start}
@media (prefers-reduced-motion:no-preference){summary,a,button{transition:color .1s}}
@media print{.controls,.who,.skip,details{display:none}}
`;
