/** How a report looks: the scale and the colours of statuses that every surface of Retinue has, in light and dark and on paper. */
export const STYLES = `
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--muted:#59636e;--line:#d1d9e0;--soft:#f6f8fa;--green:#1a7f37;--red:#c01622;--amber:#8f5902;--grey:#59636e}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--muted:#9198a1;--line:#3d444d;--soft:#161b22;--green:#3fb950;--red:#ff7b72;--amber:#d9a53a;--grey:#9198a1}}
body{margin:0 auto;max-width:1080px;padding:24px;background:var(--bg);color:var(--fg);font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:28px;margin:0}h2{font-size:20px;margin:32px 0 8px}h3{font-size:16px;margin:0 0 8px}
a{color:inherit}code,pre{font-family:ui-monospace,monospace;font-size:12px}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:4px 8px;border-bottom:1px solid var(--line)}th{color:var(--muted);font-weight:500;font-size:12px}.n{text-align:right;white-space:nowrap}
.badge{display:inline-block;min-width:4em;text-align:center;border:1px solid currentColor;border-radius:6px;padding:0 8px;font-size:12px;font-weight:600;color:var(--grey)}
.badge.pass,.badge.held,.badge.completed{color:var(--green)}.badge.fail,.badge.failed{color:var(--red)}.badge.blocked,.badge.inconclusive,.badge.unknown,.badge.timeout,.badge.partial{color:var(--amber)}
.mark{font-size:12px;color:var(--amber)}.reason{font-size:16px}.problem{color:var(--amber)}.facts,figcaption,dt{color:var(--muted);font-size:12px}
summary{cursor:pointer;color:var(--muted)}.steps{padding-left:24px}.steps>li{margin:16px 0;padding:12px;border:1px solid var(--line);border-radius:6px}
dl{margin:0 0 8px}dd{margin:0 0 4px}figure{margin:8px 0}pre{margin:0;padding:8px;background:var(--soft);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
img{display:block;max-width:100%;margin:8px 0;border:1px solid var(--line);border-radius:6px}.tree,.tree ul{list-style:none;padding-left:16px}.tree li{margin:4px 0}
@media (max-width:768px){body{padding:12px}.index td:nth-child(3),.index th:nth-child(3){display:none}}
@media print{section{break-before:page}details{display:block}details::details-content{content-visibility:visible;block-size:auto}img{max-height:60vh}}
`;
