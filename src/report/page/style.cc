#include "report/page/page.h"

namespace postrider::internal {

// Colours of text have a contrast of at least 4.5 with their ground, those of marks at least 3. No
// picture tells things apart by colour alone.
std::string_view report_style() {
  return R"css(
:root { color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #18212d; --soft: #556172; --edge: #dde2e8;
  --grid: #e9edf1; --one: #1f66b3; --two: #b8500f; --three: #1c7a50; --four: #7748ad;
  --wash: #e8f0fa; --good: #1c7a50; --bad: #b3261e; --mix: 62%; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #11151b; --card: #1a2028; --ink: #e7ebf1; --soft: #a0adbc; --edge: #303a47;
  --grid: #27303b; --one: #6fb2f7; --two: #f3a262; --three: #62d09b; --four: #c2a2f5;
  --wash: #1d2c3f; --good: #62d09b; --bad: #ff8a80; --mix: 45%; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui,
  -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main, header, footer { max-width: 1080px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 36px; }
h1 { font-size: clamp(1.6rem, 4vw, 2.3rem); line-height: 1.15; margin: 0 0 6px;
  letter-spacing: -.02em; overflow-wrap: anywhere; text-wrap: balance; }
h2 { font-size: 1.3rem; line-height: 1.25; margin: 0 0 4px; letter-spacing: -.01em; }
h3 { font-size: .95rem; margin: 0 0 2px; overflow-wrap: anywhere; }
p { margin: 0 0 10px; }
.lead { color: var(--soft); max-width: 82ch; text-wrap: pretty; margin-bottom: 16px; }
header .lead { font-size: 1.08rem; }
section { margin: 40px 0; }
nav { display: flex; flex-wrap: wrap; gap: 6px; margin: 16px 0 4px; }
nav a { color: var(--ink); text-decoration: none; font-size: .86rem; padding: 4px 11px;
  border: 1px solid var(--edge); border-radius: 99px; background: var(--card); }
nav a:hover, nav a:focus-visible { border-color: var(--one); color: var(--one); }
.grid { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 320px), 1fr)); }
.tiles { display: grid; gap: 12px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 215px), 1fr)); }
.card { background: var(--card); border: 1px solid var(--edge); border-radius: 12px;
  padding: 14px 16px; min-width: 0; break-inside: avoid; }
.card p { font-size: .88rem; color: var(--soft); margin-bottom: 8px; }
.card p:last-child { margin-bottom: 0; }
.tile .name { font-size: .86rem; color: var(--soft); overflow-wrap: anywhere; }
.tile .value { font-size: 1.75rem; font-weight: 650; line-height: 1.2; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums; }
.tile .between { font-size: .86rem; font-variant-numeric: tabular-nums; }
details > summary { cursor: pointer; list-style-position: outside; margin-bottom: 6px; }
summary h2 { display: inline; }
pre { margin: 0 0 12px; padding: 10px 12px; background: var(--wash); border-radius: 8px; font: .86rem/1.45
  ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
.glance { display: grid; gap: 14px; grid-template-columns: repeat(6, minmax(0, 1fr)); }
.glance .card { grid-column: span 3; } .glance .card.whole { grid-column: span 6; }
.glance h3 { font-size: .82rem; color: var(--soft); font-weight: 600; }
.glance .card p { font-size: .97rem; color: var(--ink); margin-bottom: 6px; }
.glance .card p.bad { color: var(--bad); }
.glance .card p.note { font-size: .84rem; color: var(--soft); margin: 8px 0 0; }
.glance .say { font-size: 1.12rem; font-weight: 600; line-height: 1.35; text-wrap: balance; }
.glance ol, .glance ul { margin: 0; padding-left: 1.2em; } .glance li { margin: 0 0 4px; }
.glance .worry li::marker { color: var(--bad); }
.contenders { display: grid; gap: 6px; margin: 8px 0; }
.contenders > div { display: grid; grid-template-columns: minmax(80px, 26%) 1fr auto; gap: 10px; align-items: center;
  font-size: .88rem; }
.contenders .track { height: 14px; background: var(--grid); border-radius: 4px; overflow: hidden; }
.contenders .fill { height: 100%; background: var(--soft); opacity: .55; border-radius: 4px; }
.contenders .first .fill { background: var(--one); opacity: 1; }
.contenders .first { font-weight: 650; } .contenders .value { font-variant-numeric: tabular-nums; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 200px), 1fr));
  gap: 10px 22px; margin: 0; }
dl.facts div { min-width: 0; border-top: 1px solid var(--edge); padding-top: 6px; }
dt { font-size: .8rem; color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; font-size: .95rem; }
.plot { display: block; width: 100%; max-width: 560px; height: auto; margin: 0 auto; }
.plot text, .hinton text { fill: var(--ink); font-size: 11px; }
.plot .tick, .hinton text { fill: var(--soft); font-size: 10.5px; font-variant-numeric: tabular-nums; }
.middle { text-anchor: middle; } .end { text-anchor: end; }
.plot .grid { stroke: var(--grid); stroke-width: 1; } .plot .axis { stroke: var(--edge); fill: none; }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.line.thin { stroke-width: 1; opacity: .55; } .line.faint { opacity: .22; stroke-width: 1.2; }
.line.many { stroke-width: 1.1; opacity: .65; }
.line.ideal { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 5 4; }
.line.one { stroke: var(--one); } .line.two { stroke: var(--two); } .line.three { stroke: var(--three); }
.line.four { stroke: var(--four); }
path.one, circle.one, rect.one { fill: var(--one); } path.two, circle.two, rect.two { fill: var(--two); }
circle.three, path.three { fill: var(--three); } circle.four { fill: var(--four); }
path.line { fill: none; }
.area { fill: var(--one); opacity: .13; } .pale { fill: var(--one); opacity: .28; }
.hollow { fill: var(--card); stroke-width: 1.8; stroke: var(--two); }
.seen { opacity: .75; }
.download { margin: 4px 0 0; font-size: .8rem; } .download a { color: var(--soft); }
@media print { .download { display: none; } }
.legend { display: flex; flex-wrap: wrap; gap: 4px 16px; font-size: .84rem; color: var(--soft);
  margin: 6px 0 0; padding: 0; list-style: none; }
.legend svg { width: 16px; height: 10px; margin-right: 5px; vertical-align: baseline; }
.natural { display: flex; flex-wrap: wrap; gap: 14px; align-items: flex-start; margin-top: 10px; }
.natural .card { max-width: 100%; flex: 0 1 auto; }
.natural .card p { max-width: 24ch; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); font-size: .85rem; padding-bottom: 6px; }
th { text-align: left; font-weight: 600; font-size: .8rem; color: var(--soft); vertical-align: bottom; }
th, td { padding: 6px 10px 6px 0; border-bottom: 1px solid var(--edge); }
td { vertical-align: middle; } tr:last-child td { border-bottom: 0; }
td.number + td:not(.number), th.number + th:not(.number) { padding-left: 14px; }
th.number, td.number { text-align: right; white-space: nowrap; }
td.name { max-width: 220px; overflow-wrap: anywhere; font-weight: 550; }
.spark { display: block; width: 100%; min-width: 70px; height: 26px; }
.note { font-size: .84rem; color: var(--soft); margin: 8px 0 0; }
.tag { display: inline-block; font-size: .74rem; font-weight: 600; padding: 0 7px; border-radius: 99px;
  background: var(--wash); color: var(--one); white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } b.good, b.bad { font-weight: 650; }
.bars { display: grid; gap: 7px; }
.bars > div { display: grid; grid-template-columns: minmax(70px, 30%) 1fr minmax(98px, auto); gap: 10px;
  align-items: center; font-size: .88rem; }
.bars .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars .value { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums;
  color: var(--soft); font-size: .84rem; }
.bars svg { width: 100%; height: 16px; display: block; overflow: visible; }
.bars .axis { stroke: var(--soft); stroke-width: 1; vector-effect: non-scaling-stroke; }
.bars .whisker { stroke: var(--ink); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.rows { display: grid; gap: 8px; }
.rows .row { border-top: 1px solid var(--edge); padding-top: 8px; font-size: .9rem; min-width: 0; }
.rows .row:first-child { border-top: 0; padding-top: 0; }
.rows .head { display: flex; flex-wrap: wrap; gap: 2px 12px; align-items: baseline; }
.rows .inputs { color: var(--soft); font-size: .82rem; overflow-wrap: anywhere; }
.matrix td { text-align: center; background: color-mix(in srgb, var(--one) calc(var(--share) * var(--mix)), var(--card));
  border: 2px solid var(--card); min-width: 46px; padding: 7px 6px; }
.matrix th { padding: 4px 8px; max-width: 130px; overflow-wrap: anywhere; }
.matrix { width: auto; }
.hinton { display: block; max-width: none; }
.hinton .ring { fill: none; stroke: var(--soft); stroke-width: 1; opacity: .7; }
.hinton .cell { fill: var(--grid); }
dl.terms { margin: 12px 0 0; font-size: .88rem; } dl.terms dt { font-weight: 650; color: var(--ink); margin-top: 8px; }
dl.terms dd { color: var(--soft); font-size: .88rem; }
footer { color: var(--soft); font-size: .84rem; padding-top: 8px; padding-bottom: 40px; }
@media (max-width: 620px) { main, header, footer { padding-left: 14px; padding-right: 14px; }
  header { padding-top: 22px; } .wide { display: none; } .card { padding: 12px; }
  .tiles { grid-template-columns: repeat(auto-fill, minmax(min(100%, 150px), 1fr)); }
  .tile .value { font-size: 1.4rem; } section { margin: 30px 0; }
  .glance { grid-template-columns: minmax(0, 1fr); } .glance .card, .glance .card.whole { grid-column: span 1; }
  dl.facts { grid-template-columns: repeat(2, minmax(0, 1fr)); } }
@media print { :root { color-scheme: light; --ground: #fff; --card: #fff; --ink: #18212d;
  --soft: #556172; --edge: #dde2e8; --grid: #e9edf1; --one: #1f66b3; --two: #b8500f; --three: #1c7a50;
  --four: #7748ad; --wash: #e8f0fa; --good: #1c7a50; --bad: #b3261e; } nav { display: none; } body { font-size: 12px; }
  main, header, footer { max-width: none; padding: 0; } section { margin: 18px 0; }
  .scroll { overflow: visible; } .hinton { max-width: 100%; height: auto; } h2 { break-after: avoid; } }
)css";
}

}  // namespace postrider::internal
