// SPDX-License-Identifier: BSD-3-Clause
// Reads rows of dcb-exporter again and again, and shows them. Rates are differences of counters by
// dcbd's clock; the page keeps the queues of the last minutes, nothing else keeps anything.
'use strict';

const POLL_MS = 2000;      // between two readings; longer if one takes long
const FIRST_MS = 500;      // between the first two: rates need both
const HISTORY_S = 300;     // of queues
const PORTS_MAX = 256;     // shown at a time
const FAST = ['dcbAgent', 'dcbLldp', 'dcbPortTable', 'dcbDcbxPortTable', 'dcbPfcPriorityTable',
  'dcbPfcWatchdogTable', 'dcbCpTable', 'ieee8021CnCpTable'];
const SLOW = ['dcbPfcStormTable', 'dcbPfcPauseTable', 'dcbNeighborTable'];
const SLOW_EVERY = 5;      // readings

const $ = (id) => document.getElementById(id);
const state = {ports: new Map(), rows: new Map(), agent: {}, slow: {}, last: null, n: 0,
  sort: 'index', downSince: null, filter: ''};

// --- values -------------------------------------------------------------------------------

const isTrue = (v) => v === true || v === 'true';
const bits = (v) => (typeof v !== 'string' || v === 'none' || v === '' ? [] : v.split(','));
const num = (v) => Number(v ?? 0);
const ifIndexOf = (row) => {
  const key = Object.keys(row.index).find((k) => /ifindex$/i.test(k));
  return key === undefined ? 0 : row.index[key];
};
const lastIndex = (row) => Object.values(row.index).pop();

// 12345678 becomes "12.3 M".
function short(value, unit) {
  const steps = ['', 'k', 'M', 'G', 'T', 'P'];
  let v = value, i = 0;
  while (Math.abs(v) >= 999.5 && i < steps.length - 1) { v /= 1000; i++; }
  const text = i === 0 || Math.abs(v) >= 99.95 ? v.toFixed(0) : v.toFixed(1).replace(/\.0$/, '');
  return `${text} ${steps[i]}${unit}`.trim();
}
const percent = (share) => (share >= 0.0995 || share === 0 ? (100 * share).toFixed(0) : (100 * share).toFixed(1)) + ' %';
function duration(seconds) {
  const s = Math.floor(seconds), d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24;
  const m = Math.floor(s / 60) % 60;
  if (d > 0) return `${d} d ${h} h`;
  if (h > 0) return `${h} h ${m} min`;
  if (m > 0) return `${m} min ${s % 60} s`;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${s} s`;
}

// --- reading --------------------------------------------------------------------------------

async function read(tables) {
  const answer = await fetch('tables.json?' + tables.map((t) => 'table=' + t).join('&'),
    {cache: 'no-store'});
  const body = await answer.json();
  if (!answer.ok) throw new Error(body.error || `status ${answer.status}`);
  const all = Array.isArray(body) ? body : body.tables;
  return Object.fromEntries(all.map((t) => [t.table, t.rows]));
}

// A port as it was read, with the counters that rates are made of.
function portOf(row) {
  const v = row.values;
  return {
    index: ifIndexOf(row), name: v.dcbPortName || String(ifIndexOf(row)),
    up: isTrue(v.dcbPortOperational), rate: num(v.dcbPortRate), error: v.dcbPortOpenError || '',
    since: num(v.dcbPortCounterDiscontinuityTime),
    rx: num(v.dcbPortRxOctets), tx: num(v.dcbPortTxOctets),
    lost: num(v.dcbPortDiscardQueue) + num(v.dcbPortDiscardNoBuffer) + num(v.dcbPortDiscardKernel) +
      num(v.dcbPortDiscardOversize),
    lossless: 0, pfc: [], mismatch: [], priorities: [], storms: 0, cps: [],
  };
}

function takePriorities(ports, rows) {
  for (const row of rows) {
    const port = ports.get(ifIndexOf(row)), v = row.values;
    if (!port) continue;
    port.priorities[lastIndex(row)] = {paused: isTrue(v.dcbPfcPriorityPaused), storm: false,
      in: num(v.dcbPfcPriorityPauseTime), out: num(v.dcbPfcPriorityPauseSent)};
    port.lossless += num(v.dcbPfcPriorityDiscards);
  }
}

function takeWatchdog(ports, rows) {
  for (const row of rows) {
    const port = ports.get(ifIndexOf(row)), p = lastIndex(row);
    if (!port) continue;
    port.storms += num(row.values.dcbPfcWatchdogStorms);
    port.lost += num(row.values.dcbPfcWatchdogDroppedTotal);
    if (port.priorities[p]) port.priorities[p].storm = row.values.dcbPfcWatchdogState === 'storm';
  }
}

function takeQueues(ports, gauges, settings) {
  const set = new Map(settings.map((row) => [row.instance, row.values]));
  for (const row of gauges) {
    const port = ports.get(ifIndexOf(row)), s = set.get(row.instance) || {};
    if (!port) continue;
    port.cps.push({id: lastIndex(row), priority: num(s.ieee8021CnCpPriority),
      queue: num(row.values.dcbCpQueueLength), set: num(s.ieee8021CnCpQueueSizeSetPoint)});
  }
}

function portsOf(t) {
  const ports = new Map((t.dcbPortTable || []).map((row) => [ifIndexOf(row), portOf(row)]));
  for (const row of t.dcbDcbxPortTable || []) {
    const port = ports.get(ifIndexOf(row));
    if (!port) continue;
    port.pfc = bits(row.values.dcbDcbxPortPfcInForce).map((b) => Number(b.replace('pri', '')));
    port.mismatch = bits(row.values.dcbDcbxPortMismatch);
  }
  takePriorities(ports, t.dcbPfcPriorityTable || []);
  takeWatchdog(ports, t.dcbPfcWatchdogTable || []);
  takeQueues(ports, t.dcbCpTable || [], t.ieee8021CnCpTable || []);
  return ports;
}

// --- rates and history ----------------------------------------------------------------------

// seconds: between the two readings, by dcbd's clock. Counters that started again give no rate.
function addRates(port, before, seconds) {
  port.rates = null;
  port.history = before && before.since === port.since ? before.history : new Map();
  if (!before || before.since !== port.since || !(seconds > 0)) return;
  const each = (key) => Math.max(0, ...port.priorities.map((p, i) =>
    (p && before.priorities[i] ? (p[key] - before.priorities[i][key]) / 1e6 / seconds : 0)));
  port.rates = {rx: 8 * (port.rx - before.rx) / seconds, tx: 8 * (port.tx - before.tx) / seconds,
    lost: (port.lost - before.lost) / seconds, lossless: (port.lossless - before.lossless) / seconds,
    paused: Math.min(1, each('in')), pausing: Math.min(1, each('out'))};
}

function addHistory(port, now) {
  for (const cp of port.cps) {
    const points = (port.history.get(cp.id) || []).filter((p) => p.t > now - HISTORY_S);
    points.push({t: now, q: cp.queue});
    port.history.set(cp.id, points);
  }
}

function take(t) {
  const agent = (t.dcbAgent && t.dcbAgent[0] || {values: {}}).values;
  const now = num(agent.dcbAgentUpTime) / 100;
  const seconds = state.last === null ? 0 : now - state.last;
  const ports = portsOf(t);
  for (const port of ports.values()) {
    addRates(port, seconds >= 0 ? state.ports.get(port.index) : undefined, seconds);
    addHistory(port, now);
  }
  for (const index of state.rows.keys())
    if (!ports.has(index)) state.rows.delete(index);
  state.ports = ports;
  state.agent = agent;
  state.lldp = (t.dcbLldp && t.dcbLldp[0] || {values: {}}).values;
  state.last = now;
}

// --- elements -------------------------------------------------------------------------------

function element(name, className, text) {
  const e = document.createElement(name);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}
function svg(name, attributes) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

const WIDTH = 132, HEIGHT = 30;

// The queue of one congestion point over the last minutes, and its set point.
function drawQueue(cp, points) {
  const most = Math.max(1.5 * cp.set, 1, ...points.map((p) => p.q));
  const end = points[points.length - 1].t;
  const x = (p) => (WIDTH * (1 - (end - p.t) / HISTORY_S)).toFixed(1);
  const y = (q) => (HEIGHT - 1 - (HEIGHT - 2) * q / most).toFixed(1);
  const line = points.map((p) => `${x(p)},${y(p.q)}`).join(' ');
  const over = cp.queue > cp.set && cp.set > 0;
  const box = svg('svg', {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img',
    'aria-label': `queue ${cp.queue} octets, set point ${cp.set} octets`});
  box.append(
    svg('polygon', {class: 'area', points: `${x(points[0])},${HEIGHT} ${line} ${WIDTH},${HEIGHT}`}),
    svg('line', {class: 'set', x1: 0, x2: WIDTH, y1: y(cp.set), y2: y(cp.set)}),
    svg('polyline', {class: over ? 'queue over' : 'queue', points: line}));
  return box;
}

function queueCell(port) {
  return port.cps.map((cp) => {
    const e = element('div', 'cp');
    e.dataset.cp = cp.id;
    e.dataset.queue = cp.queue;
    e.dataset.setPoint = cp.set;
    e.title = `priority ${cp.priority}`;
    e.append(drawQueue(cp, port.history.get(cp.id)),
      element('span', 'note', `${cp.priority}: ${short(cp.queue, 'B')} of ${short(cp.set, 'B')}`));
    return e;
  });
}

function pfcCell(port) {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((p) => {
    const on = port.pfc.includes(p), of = port.priorities[p] || {};
    const how = of.storm ? 'storm' : of.paused ? 'paused' : on ? 'on' : '';
    const e = element('span', `pri ${how}`.trim(), on || of.storm || of.paused ? String(p) : '·');
    e.title = `priority ${p}: ${how === 'on' ? 'PFC in force' : how || 'no PFC'}`;
    return e;
  });
}

const faded = (text, value) => element('span', value > 0 ? '' : 'zero', text);

function lostCell(port) {
  const total = port.lost + port.lossless, now = port.rates ? port.rates.lost + port.rates.lossless : 0;
  if (now > 0) return [element('span', 'lost', `${short(now, '/s')} · ${short(total, '')}`)];
  return [faded(short(total, ''), total)];
}

const rateCell = (port, key, text) => [port.rates ? faded(text(port.rates[key]), port.rates[key]) : faded('–', 0)];

const CELLS = [
  ['name', 'Port', (p) => [p.name]],
  ['rate', 'Rate', (p) => [p.up ? short(p.rate, 'bit/s') : p.error || 'down']],
  ['pfc', 'PFC in force', pfcCell],
  ['rx', 'In', (p) => rateCell(p, 'rx', (v) => short(v, 'bit/s'))],
  ['tx', 'Out', (p) => rateCell(p, 'tx', (v) => short(v, 'bit/s'))],
  ['paused', 'Paused', (p) => rateCell(p, 'paused', percent)],
  ['pausing', 'Pausing', (p) => rateCell(p, 'pausing', percent)],
  ['lost', 'Lost', lostCell],
  ['storms', 'Storms', (p) => [faded(String(p.storms), p.storms)]],
  ['queue', 'Queue, set point', queueCell],
  ['neighbor', 'Neighbor', (p) => neighborCell(p.index)],
];
const NUMBERS = ['rate', 'rx', 'tx', 'paused', 'pausing', 'lost', 'storms'];

function neighborText(index) {
  const of = (state.slow.dcbNeighborTable || []).filter((row) => ifIndexOf(row) === index);
  if (of.length === 0) return '';
  const v = of[0].values, name = v.dcbNeighborSystemName || v.dcbNeighborChassisId;
  return `${name} ${v.dcbNeighborPortId}${of.length > 1 ? `, ${of.length - 1} more` : ''}`;
}

// A neighbor chooses its texts: long ones are cut, and whole in the tip.
function neighborCell(index) {
  const text = neighborText(index);
  if (text === '') return [];
  const e = element('span', 'clip', text);
  e.title = text;
  return [e];
}

// --- the tables -----------------------------------------------------------------------------

// Puts cells [key, label, contents] into a row.
function fillRow(tr, cells) {
  tr.replaceChildren(...cells.map(([key, label, contents]) => {
    const td = element('td', NUMBERS.includes(key) ? 'n' : '');
    if (key) td.dataset.key = key;
    td.dataset.label = label;
    td.append(...contents.filter((c) => c !== ''));
    return td;
  }));
}

const SORTS = {
  name: (p) => p.name, pfc: (p) => -p.pfc.length, neighbor: (p) => neighborText(p.index),
  rate: (p) => -p.rate, lost: (p) => -p.lost - p.lossless, storms: (p) => -p.storms,
  queue: (p) => -Math.max(0, ...p.cps.map((c) => c.queue / (c.set || 1))), index: (p) => p.index,
};
for (const key of ['rx', 'tx', 'paused', 'pausing']) SORTS[key] = (p) => -(p.rates ? p.rates[key] : 0);

function sorted() {
  const key = SORTS[state.sort], words = state.filter.toLowerCase();
  const order = (a, b) => (typeof a === 'string' ? a.localeCompare(b, 'en', {numeric: true}) : a - b);
  return [...state.ports.values()]
    .filter((p) => `${p.name} ${neighborText(p.index)}`.toLowerCase().includes(words))
    .sort((a, b) => order(key(a), key(b)) || a.index - b.index);
}

function showPorts() {
  const ports = sorted(), body = $('ports').tBodies[0];
  const rows = ports.slice(0, PORTS_MAX).map((port) => {
    let tr = state.rows.get(port.index);
    if (!tr) state.rows.set(port.index, tr = element('tr'));
    tr.dataset.port = port.name;
    tr.className = port.priorities.some((p) => p && p.storm) || port.error ? 'bad' : port.up ? '' : 'off';
    fillRow(tr, CELLS.map(([key, label, cell]) => [key, label, cell(port)]));
    return tr;
  });
  body.replaceChildren(...rows);
  $('ports').hidden = state.ports.size === 0;
  $('no-ports').hidden = state.ports.size !== 0;
  $('shown').textContent = ports.length > PORTS_MAX ? `${PORTS_MAX} of ${ports.length} shown`
    : ports.length < state.ports.size ? `${ports.length} of ${state.ports.size}` : `${ports.length}`;
}

const nameOf = (index) => (state.ports.get(index) || {name: String(index)}).name;

function showTable(id, rows, cells) {
  $(id).tBodies[0].replaceChildren(...rows.map((row) => {
    const tr = element('tr');
    fillRow(tr, cells(row));
    return tr;
  }));
  $(id).hidden = rows.length === 0;
  $('no-' + id).hidden = rows.length !== 0;
}

function showStorms() {
  const rows = (state.slow.dcbPfcStormTable || []).filter((r) => r.values.dcbPfcStormEnd !== 'none')
    .sort((a, b) => num(b.values.dcbPfcStormDetected) - num(a.values.dcbPfcStormDetected));
  showTable('storms', rows.slice(0, 50), (row) => {
    const v = row.values, ago = state.last - num(v.dcbPfcStormDetected) / 100;
    return [['name', 'Port', [nameOf(ifIndexOf(row))]], ['', 'Priority', [String(lastIndex(row))]],
      ['', 'Began', [`${duration(Math.max(0, ago))} ago`]],
      ['', 'Lasted', [duration(num(v.dcbPfcStormLasted) / 1000)]], ['', 'Cause', [v.dcbPfcStormCause]],
      ['', 'Action', [v.dcbPfcStormAction]], ['', 'End', [v.dcbPfcStormEnd]]];
  });
}

const INTERVALS = 64, BAR = 2; // that dcbd keeps; width of one

// Bars of the last intervals, the newest at the right. of: row to a share of 1.
function drawIntervals(rows, last, of) {
  const width = INTERVALS * BAR;
  const box = svg('svg', {viewBox: `0 0 ${width} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  for (const row of rows) {
    const age = last - lastIndex(row), high = Math.min(1, of(row)) * HEIGHT;
    if (high > 0) box.append(svg('rect', {class: 'bar', x: width - BAR * (age + 1), width: BAR,
      y: (HEIGHT - high).toFixed(1), height: high.toFixed(1)}));
  }
  return box;
}

// One row of the table for each port and priority.
function showPauses() {
  const groups = new Map();
  for (const row of state.slow.dcbPfcPauseTable || []) {
    const key = `${ifIndexOf(row)} ${row.index.dcbPfcPriority}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  showTable('pauses', [...groups.values()].slice(0, 64), (rows) => {
    const sum = (key) => rows.reduce((n, row) => n + num(row.values[key]), 0);
    const most = (key) => Math.max(0, ...rows.map((row) => num(row.values[key])));
    const last = lastIndex(rows[rows.length - 1]), us = 1000 * sum('dcbPfcPauseDuration') || 1;
    const share = (key) => {
      const e = element('div', 'cp');
      e.append(drawIntervals(rows, last, (row) => num(row.values[key]) / 1000 / (num(row.values.dcbPfcPauseDuration) || 1)),
        element('span', 'note', percent(sum(key) / us)));
      return [e];
    };
    return [['name', 'Port', [nameOf(ifIndexOf(rows[0]))]], ['', 'Priority', [String(rows[0].index.dcbPfcPriority)]],
      ['', 'Paused', share('dcbPfcPausePaused')], ['', 'Pausing', share('dcbPfcPausePausing')],
      ['', 'Longest pause', [`${(most('dcbPfcPauseLongest') / 1000).toFixed(2)} ms`]],
      ['', 'Longest queue', [short(most('dcbPfcPauseQueuePeak'), 'B')]]];
  });
}

function showNeighbors() {
  showTable('neighbors', (state.slow.dcbNeighborTable || []).slice(0, 512), (row) => {
    const v = row.values;
    const bad = bits(v.dcbNeighborMalformedTlvs);
    return [['name', 'Port', [nameOf(ifIndexOf(row))]], ['', 'System', [v.dcbNeighborSystemName || '']],
      ['', 'Its port', [v.dcbNeighborPortId || '']], ['', 'Chassis', [v.dcbNeighborChassisId || '']],
      ['', 'TLVs', [bits(v.dcbNeighborTlvs).join(', ') || 'none']],
      ['', 'State', [bad.length ? `malformed: ${bad.join(', ')}` : isTrue(v.dcbNeighborStale) ? 'stale' : 'heard']]];
  });
}

// --- alarms and the head of the page ----------------------------------------------------------

function portAlarms(port) {
  const list = [];
  port.priorities.forEach((p, i) => {
    if (p && p.storm) list.push(['alarm', `${port.name}: storm of PFC, priority ${i}`]);
  });
  if (port.rates && port.rates.lossless > 0)
    list.push(['alarm', `${port.name}: loses frames of priorities with PFC`]);
  if (port.error) list.push(['alarm', `${port.name}: ${port.error}`]);
  if (port.mismatch.length) list.push(['warn', `${port.name}: mismatch with the neighbor: ${port.mismatch.join(', ')}`]);
  return list;
}

function showAlarms() {
  const list = [...state.ports.values()].flatMap(portAlarms);
  const saved = state.agent.dcbAgentStateStatus;
  if (saved && saved !== 'ok') list.push(['alarm', `state file: ${saved}`]);
  if (state.lldp && ['connecting', 'mismatch'].includes(state.lldp.dcbLldpState))
    list.push(['warn', `no LLDP agent: ${state.lldp.dcbLldpState}`]);
  list.sort((a, b) => (a[0] === b[0] ? 0 : a[0] === 'alarm' ? -1 : 1));
  if (list.length === 0) list.push(['fine', 'no storm, no loss of lossless frames, no mismatch']);
  if (list.length > 12) list.splice(12, list.length, ['warn', `and ${list.length - 12} more`]);
  $('alarms').replaceChildren(...list.map(([kind, text]) => element('li', kind, text)));
}

function showHead() {
  const a = state.agent;
  $('title').textContent = `dcbd on ${location.hostname}`;
  $('facts').textContent = `${a.dcbAgentRole}, ${a.dcbAgentPorts} ports, version ${a.dcbAgentVersion}, ` +
    `up ${duration(num(a.dcbAgentUpTime) / 100)}`;
}

// error: the reason why there are no rows; null: there are.
function showLive(error) {
  const now = new Date().toLocaleTimeString();
  state.downSince = error === null ? null : state.downSince || now;
  document.body.className = error === null ? 'up' : 'down';
  $('live-text').textContent = error === null ? `as of ${now}`
    : `no rows of dcbd since ${state.downSince}: ${error}`;
}

function show() {
  showHead();
  showAlarms();
  showPorts();
  showStorms();
  showPauses();
  showNeighbors();
}

async function poll() {
  const began = performance.now(), first = state.last === null;
  try {
    const slow = state.n++ % SLOW_EVERY === 0;
    const tables = await read(slow ? FAST.concat(SLOW) : FAST);
    if (slow) state.slow = Object.fromEntries(SLOW.map((t) => [t, tables[t] || []]));
    take(tables);
    showLive(null);
    show();
  } catch (error) {
    state.n = 0;
    showLive(error.message);
  }
  setTimeout(poll, Math.max(first ? FIRST_MS : POLL_MS, 5 * (performance.now() - began)));
}

function start() {
  for (const th of document.querySelectorAll('#ports th')) {
    th.tabIndex = 0;
    const choose = () => {
      state.sort = state.sort === th.dataset.key ? 'index' : th.dataset.key;
      for (const other of document.querySelectorAll('#ports th')) other.removeAttribute('aria-sort');
      if (state.sort !== 'index')
        th.setAttribute('aria-sort', ['name', 'neighbor'].includes(state.sort) ? 'ascending' : 'descending');
      showPorts();
    };
    th.addEventListener('click', choose);
    th.addEventListener('keydown', (e) => { if (e.key === 'Enter') choose(); });
  }
  $('filter').addEventListener('input', (e) => { state.filter = e.target.value; showPorts(); });
  poll();
}

start();
