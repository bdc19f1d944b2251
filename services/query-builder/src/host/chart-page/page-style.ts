/** Styles that only chart pages need; tokens, elements and parts come from libs/design-parts. */
export const pageStyle = `:root{--before:var(--warn);--part-1:light-dark(#3730a3,#a9a5ff);--part-2:light-dark(#b3541e,#f0a06a);--part-3:light-dark(#18653a,#6fd09a);--part-4:light-dark(#a21d6b,#f39ac9);--part-5:light-dark(#0b6b8a,#6cc7e6);--part-6:light-dark(#7a6200,#dcc35a);--part-7:light-dark(#60646c,#b0b4ba)}
input,select{width:auto;max-width:18rem}.chart-bar h1{font-size:17px;overflow-wrap:anywhere}.chart-bar{padding-top:6px;padding-bottom:6px}
.who span{overflow-wrap:anywhere;min-width:0}.who{display:flex;flex-wrap:wrap;gap:4px 12px;align-items:center;max-width:none;font-size:13px;white-space:normal;overflow:visible;margin-left:auto}
.search{margin-bottom:16px}.controls{display:flex;flex-wrap:wrap;gap:10px 14px;align-items:end;margin-bottom:18px}
label{display:grid;gap:3px;font-size:12px;font-weight:550;color:var(--quiet)}label input,label select{font-size:14px;font-weight:400;color:var(--text)}
.presets{width:100%;margin:0}
.grid{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));gap:16px;align-items:start}.grid>.card-figure{grid-column:span 3}.grid>.card-list,.grid>.card-chart{grid-column:span 6}.grid>.wide{grid-column:1/-1}
@media (max-width:1040px){.grid>.card-figure{grid-column:span 6}.grid>.card-list,.grid>.card-chart{grid-column:1/-1}}@media (max-width:560px){.grid>.card-figure{grid-column:1/-1}}
.card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:16px 18px;min-width:0;scroll-margin-top:64px}.card h2{font-size:13px}
.headline{font-size:30px;line-height:1.25;font-weight:650;letter-spacing:-.02em;overflow-wrap:anywhere}
.delta{margin:2px 0 6px;font-weight:600}.delta .note{font-weight:400}.good{color:var(--good)}.bad{color:var(--bad)}.flat{color:var(--quiet)}
.card .note{font-size:12px;margin-top:5px}.card .chips{align-items:center;margin:10px 0 0}.card .chips .note{margin:0}.card .chips a{font-size:12px;padding:2px 9px}.actions{display:flex;flex-wrap:wrap;gap:4px 16px}
.state{color:var(--quiet);margin:8px 0}.error{color:var(--bad)}
.chart.opens{cursor:pointer}.ranking .name a{color:inherit}.back{margin-bottom:12px}.card>.scroll{margin:10px 0}.chart-bar{flex-wrap:wrap}
.chart{width:100%;min-height:220px;border-radius:var(--radius)}.readout{min-height:1.45em;margin:3px 0 0;font-size:13px}
.legend svg{width:2rem;height:.6em}.legend line{stroke:var(--before);stroke-width:2;stroke-dasharray:6 4}.parts{display:flex;flex-wrap:wrap;gap:2px 14px;font-size:12px;margin-top:6px}.parts svg{width:.8em;height:.8em;border-radius:2px}
${[1, 2, 3, 4, 5, 6, 7].map((at) => `.part-${at}{fill:var(--part-${at})!important}`).join('')}
.sparkline{width:100%;height:40px;display:block}.sparkline polyline{fill:none;stroke:var(--accent);stroke-width:2;stroke-linecap:round;vector-effect:non-scaling-stroke}
.ranking{margin:5px 0 0;display:grid;gap:7px}.ranking li{display:grid;grid-template-columns:1fr auto;gap:0 16px}
.ranking .name{overflow-wrap:anywhere}.ranking svg{grid-column:1/-1;width:100%;height:7px;background:var(--accent-soft);border-radius:3px}.ranking rect{fill:var(--accent)}.ranking rect.below{fill:var(--before)}.ranking+details .ranking{margin-top:7px}.scope,.warning{color:var(--warn)}
details{margin-top:6px;font-size:13px}summary{cursor:pointer;color:var(--accent)}details .scroll{max-height:16rem;margin-top:6px}
td{text-align:right}td.text{text-align:left}tbody th{background:none;color:var(--text);font-size:13px;font-weight:400}thead th{position:sticky;top:0}
.pages{display:grid;gap:8px}.pages code{color:var(--quiet)}.refusal{max-width:32rem}.sign-in{display:grid;gap:10px;justify-items:start}
@media print{.controls,.who,.skip,details,.chips,.actions{display:none}}
`;
