'use strict';
// Runs one CTS query case by case in a child process and writes a JSON line a case:
//   node run.js --cts FOLDER --out FILE.jsonl [--every N] [--match REGEX] [--skip REGEX] [--idle S] [--from I] QUERY...
// A case that ends the child is recorded as "crash", one without progress for --idle seconds as
// "hang"; the run goes on with the next case. FOLDER has the compiled suite in out-node/.
const fs = require('fs');
const path = require('path');
const { spawn } = require('child_process');

const options = { every: '1', idle: '120', provider: path.join(__dirname, 'provider.js') };
const queries = [];
for (let i = 2; i < process.argv.length; ++i) {
  const a = process.argv[i];
  if (a.startsWith('--')) options[a.slice(2)] = process.argv[++i];
  else queries.push(a);
}

if (options.out) options.out = path.resolve(options.out);

// The message without what differs from case to case.
function kindOf(message) {
  const lines = message.split('\n');
  const error = lines.find(l => /(^|[: ])error: /.test(l));
  const text = /^Missing expected/.test(lines[0]) ? lines[0] : error ? error.replace(/^.*?error: /, 'error: ') : lines[0];
  return text.replace(/'[^']*'/g, "'_'").replace(/-?[0-9][0-9a-fx.]*/g, '#').slice(0, 160);
}

async function child() {
  process.chdir(options.cts);
  const at = p => path.join(options.cts, 'out-node/common', p);
  const { dataCache } = require(at('framework/data_cache.js'));
  const { setBaseResourcePath, getResourcePath } = require(at('framework/resources.js'));
  const { DefaultTestFileLoader } = require(at('internal/file_loader.js'));
  const { Logger } = require(at('internal/logging/logger.js'));
  const { parseQuery } = require(at('internal/query/parseQuery.js'));
  const { setGPUProvider } = require(at('util/navigator_gpu.js'));
  const { globalTestConfig } = require(at('framework/test_config.js'));
  globalTestConfig.maxSubcasesInFlight = 10;
  setBaseResourcePath('out-node/resources');
  dataCache.setStore({ load: p => fs.promises.readFile(getResourcePath(`cache/${p}`)).then(b => new Uint8Array(b)) });
  const provider = require(options.provider);
  setGPUProvider(() => provider.create([]));
  const out = fs.openSync(options.out, 'a');
  const put = record => fs.writeSync(out, JSON.stringify(record) + '\n');
  globalTestConfig.testHeartbeatCallback = () => fs.utimesSync(options.out, new Date(), new Date());
  let index = 0;
  for (const query of queries) {
    for (const testcase of await new DefaultTestFileLoader().loadCases(parseQuery(query))) {
      if (index++ < Number(options.from ?? 0)) continue;
      const name = testcase.query.toString();
      if ((index - 1) % Number(options.every) !== Number(options.offset ?? 0)) continue;
      if (options.match && !new RegExp(options.match).test(name)) continue;
      if (options.skip && new RegExp(options.skip).test(name)) continue;
      put({ start: index - 1, q: name });
      const before = { ...provider.stats };
      const log = new Logger();
      const [rec, res] = log.record(name);
      await testcase.run(rec, []);
      const record = { i: index - 1, q: name, status: res.status, ms: Math.round(res.timems) };
      for (const key of Object.keys(before)) record[key] = provider.stats[key] - before[key];
      if (res.status !== 'pass' && res.logs) {
        // One example of each kind of message, and how often there was one.
        const kinds = (record.kinds = {}), examples = (record.log = []);
        for (const l of res.logs) {
          if (l.name === 'INFO' || /^\(in subcase: .*\) INFO$/.test(l.name)) continue;
          const kind = kindOf(l.message);
          if (!kinds[kind] && examples.length < Number(options.keep ?? 12)) {
            examples.push(`${l.name}: ${l.message}`.slice(0, Number(options.chars ?? 2500)));
          }
          kinds[kind] = (kinds[kind] ?? 0) + 1;
        }
      }
      put(record);
    }
  }
  process.exit(0);
}

function lastOf(file) {
  const size = fs.statSync(file).size;
  const length = Math.min(size, 1 << 20);
  const bytes = Buffer.alloc(length);
  const fd = fs.openSync(file, 'r');
  fs.readSync(fd, bytes, 0, length, size - length);
  fs.closeSync(fd);
  const lines = bytes.toString().trimEnd().split('\n');
  try { return JSON.parse(lines[lines.length - 1]); } catch { return {}; }
}

async function parent() {
  fs.writeFileSync(options.out, '');
  let from = Number(options.from ?? 0);
  delete options.from;
  for (;;) {
    const args = ['--expose-gc', __filename, '--child', '1', '--from', String(from)];
    for (const [k, v] of Object.entries(options)) args.push(`--${k}`, v);
    const worker = spawn(process.execPath, args.concat(queries), { stdio: ['ignore', 'inherit', 'pipe'] });
    let errors = '';
    worker.stderr.on('data', d => { errors = (errors + d).slice(-3000); });
    let hung = false;
    const watch = setInterval(() => {
      const idle = (Date.now() - fs.statSync(options.out).mtimeMs) / 1000;
      if (idle > Number(options.idle)) { hung = true; worker.kill('SIGKILL'); }
    }, 2000);
    const [code, signal] = await new Promise(resolve => worker.on('exit', (c, s) => resolve([c, s])));
    clearInterval(watch);
    if (code === 0) break;
    const last = lastOf(options.out);
    if (last.start === undefined) { console.log(`ended by ${signal ?? code} outside a case: ${errors}`); if (last.i === undefined || last.i < from) break; from = last.i + 1; continue; }
    fs.appendFileSync(options.out, JSON.stringify({ i: last.start, q: last.q, status: hung ? 'hang' : 'crash', ms: 0, logs: 1, log: [`${signal ?? code}: ${errors}`] }) + '\n');
    from = last.start + 1;
  }
  const counts = {};
  for (const line of fs.readFileSync(options.out, 'utf8').split('\n')) {
    if (!line) continue;
    const r = JSON.parse(line);
    if (r.status) counts[r.status] = (counts[r.status] ?? 0) + 1;
  }
  console.log(queries.join(' '), JSON.stringify(counts));
}

(options.child ? child() : parent()).catch(e => { console.error(e); process.exit(3); });
